#!/usr/bin/env bash
# Runs the study of docs/results.md, or goes on with it where it was stopped. Takes hours on two cores; needs no network.
#
#   tools/study-languages.sh kcl 0.5b            24 tasks in every context, with three examples
#   tools/study-languages.sh attempts kcl none   three attempts with this feedback, the 1.5B model, one condition
set -euo pipefail
cd "$(dirname "$0")/.."
probatio=${PROBATIO:-.venv/bin/probatio}

# 12 tasks of difficulty 1, 8 of 2 and 4 of 3, the types in turn, in the order of the suite.
kcl=complete_inherit,predict_numbers,repair_number,to_constants,write_server,complete_optional
kcl+=,predict_index,repair_replicas,write_squares,complete_list_type,predict_union,repair_return
kcl+=,complete_filter,predict_derived,repair_constructor,from_flags,to_enumerate,write_badge
kcl+=,complete_numbered,predict_typeof,complete_signature,predict_copies,repair_union,from_rules
strues=word_that_divides,subject_on_top,sign_behind,sum_of_two,one_to_five,word_that_sorts
strues+=,list_with_work_inside,number_in_a_text,length_of_list,three_times,word_that_counts,which_comes_first
strues+=,weave_two_quotations,kept_difference,swapped_quotient,odd_squares_to_python
strues+=,difference_quotient_remainder,sum_and_product,joined_in_order,fold_with_sub,turned_weigh
strues+=,negative_division,last_of_each,kept_chain_to_python
faber=complete_constant,complete_while,complete_return,complete_continue,predict_number,predict_text_join,predict_precedence
faber+=,predict_caught_error,ts_to_faber_constant,ts_to_faber_function_add,ts_to_faber_for_of,ts_to_faber_if_else
faber+=,ts_to_faber_while_sum,faber_to_ts_constant,faber_to_ts_condition,faber_to_ts_function,faber_to_ts_choice
faber+=,write_faber_hello,write_faber_even_numbers,write_ts_sum
declare -A middle=([faber]=minimal [kcl]=guide [strues]=guide)

study() { # NAME SUITE FLAG…: begin the run, or go on with it
    local name=$1 suite=$2
    shift 2
    if [ -e "results/$name/run.json" ]; then
        $probatio trial --resume "$name"
    else
        $probatio trial --config tools/study-languages.yml --suite "$suite" --task "${!suite}" --run-id "$name" "$@"
    fi
}

case ${1:?faber, kcl, strues or attempts} in
    kcl | strues) study "study-$1-${2:?0.5b or 1.5b}" "$1" --model "qwen2.5-coder-$2" ;;
    attempts)
        suite=${2:?faber, kcl or strues} feedback=${3:?none, verdict or diagnostics}
        study "attempts-$suite-$feedback" "$suite" --model qwen2.5-coder-1.5b --context "${middle[$suite]}" --n-shot 3 \
            --attempts 3 --feedback "$feedback"
        ;;
esac

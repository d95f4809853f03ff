#!/usr/bin/env bash
# Runs the study of docs/study-languages.md, or goes on with it where it was stopped. Takes hours on two cores; needs no network.
#
#   config/study-languages.sh kcl 0.5b            40 tasks in every context, with three examples
#   config/study-languages.sh attempts kcl none   three attempts with this feedback, the 1.5B model, one condition
set -euo pipefail
cd "$(dirname "$0")/.."
probatio=${PROBATIO:-.venv/bin/probatio}

# 18 tasks of difficulty 1, 14 of 2 and 8 of 3, the types in turn, in the order of the suite.
kcl=complete_inherit,predict_numbers,repair_number,to_constants,write_server,complete_optional,predict_index,repair_replicas
kcl+=,write_squares,complete_list_type,predict_union,repair_return,write_patch,complete_check,predict_format,repair_message
kcl+=,complete_even,predict_scale,complete_filter,predict_derived,repair_constructor,from_flags,to_enumerate,write_badge
kcl+=,complete_numbered,predict_typeof,repair_mutation,from_schema,to_dataclass,write_port_kind,complete_label
kcl+=,predict_quantifiers,complete_signature,predict_copies,repair_union,from_rules,to_merge,write_account_tree,complete_cast
kcl+=,predict_mixin
strues=word_that_divides,subject_on_top,sign_behind,sum_of_two,one_to_five,word_that_sorts,list_with_work_inside
strues+=,number_in_a_text,length_of_list,three_times,word_that_counts,which_comes_first,there_is_no_if,reversed_text
strues+=,echo_backwards,the_middle_quotation,eight_against_five,leaves_too_much,weave_two_quotations,kept_difference
strues+=,swapped_quotient,odd_squares_to_python,difference_quotient_remainder,sum_and_product,joined_in_order,fold_with_sub
strues+=,each_must_leave,first_letters_to_python,gap_of_two,sum_and_largest,clamp,glue_of_kinds,turned_weigh,negative_division
strues+=,last_of_each,kept_chain_to_python,polynomial,positions_of_twos,nested_folds,mean_turned
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
        $probatio trial --config config/study-languages.yml --suite "$suite" --task "${!suite}" --run-id "$name" "$@"
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

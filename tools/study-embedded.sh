#!/usr/bin/env bash
# Runs the study of docs/results.md, or goes on with it where it was stopped. Takes hours on two cores; needs no network.
set -euo pipefail
cd "$(dirname "$0")/.."
probatio=${PROBATIO:-.venv/bin/probatio}
tasks=complete_constant,complete_while,complete_return,complete_continue
tasks+=,predict_number,predict_text_join,predict_precedence,predict_caught_error
tasks+=,ts_to_faber_constant,ts_to_faber_function_add,ts_to_faber_for_of,ts_to_faber_if_else,ts_to_faber_while_sum
tasks+=,faber_to_ts_constant,faber_to_ts_condition,faber_to_ts_function,faber_to_ts_choice
tasks+=,write_faber_hello,write_faber_even_numbers,write_ts_sum

study() { # NAME FLAG…: begin the run, or go on with it
    local name=$1
    shift
    if [ -e "results/$name/run.json" ]; then
        $probatio trial --resume "$name"
    else
        $probatio trial --config tools/study-embedded.yml --task "$tasks" --run-id "$name" "$@"
    fi
}

case ${1:-all} in
    0.5b) study study-0.5b --model qwen2.5-coder-0.5b ;;
    1.5b) study study-1.5b --model qwen2.5-coder-1.5b ;;
    dialects) study study-dialects --model qwen2.5-coder-1.5b --context minimal --n-shot 3 --dialect english,symbols,scrambled ;;
    all) "$0" 0.5b && "$0" 1.5b && "$0" dialects ;;
esac

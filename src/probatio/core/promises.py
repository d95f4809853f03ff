"""What a stranger's folder, a model's answer and a server's reply can't do, each with the tests that hold it.

`probatio doctor` and docs/promises.md list these; a test compares the page with this table, and looks up
every test that is named.
"""

from __future__ import annotations

from typing import NamedTuple


class Promise(NamedTuple):
    """One sentence, and `file::test` for what was tried (below tests/; the test is left out for a whole
    file)."""

    says: str
    held_by: tuple[str, ...]


PROMISES: dict[str, tuple[Promise, ...]] = {
    "A folder of someone else": (
        Promise(
            "Nothing of a suite, a results folder or a models.yml is started outside the jail without your "
            "word.",
            (
                "cli/test_strangers.py::test_a_strangers_grader_is_not_started_outside_the_jail",
                "cli/test_strangers.py::test_verify_starts_no_strangers_grader_outside_the_jail",
                "cli/test_strangers.py::test_reading_a_strangers_days_starts_nothing",
                "cli/test_strangers.py::test_what_is_made_from_a_strangers_folder_is_a_strangers",
                "authoring/test_strangers_folder.py"
                "::test_no_command_starts_the_loader_that_a_file_of_a_suite_names",
            ),
        ),
        Promise(
            "A record does not say in which jail a run goes on, nor to whom a question or a key is sent.",
            (
                "cli/test_strangers.py::test_a_record_does_not_say_in_which_jail_a_run_goes_on",
                "cli/test_strangers.py::test_a_record_sends_no_variable_to_an_address_of_its_own",
            ),
        ),
        Promise(
            "A suite sees no file of the machine, names no key and no address, without your word.",
            (
                "cli/test_strangers.py::test_files_and_programs_of_the_machine_need_the_users_word",
                "cli/test_strangers.py::test_a_suite_names_no_address_and_no_key_for_its_judge",
                "cli/test_strangers.py::test_no_key_gets_into_a_record_through_the_version_of_a_language",
            ),
        ),
        Promise(
            "A models.yml found in a folder sends no key to a host of its own, and posts nowhere, without "
            "your word.",
            (
                "cli/test_strangers.py"
                "::test_a_models_file_of_the_folder_sends_no_variable_to_its_own_address",
                "cli/test_strangers.py::test_a_models_file_of_the_folder_posts_nowhere",
            ),
        ),
        Promise(
            "Studying sends nothing, unless you ask for a narrative; and then nothing to an address or with "
            "a key that a folder names.",
            ("cli/test_strangers.py::test_studying_sends_nothing_to_the_analyst_of_a_folder",),
        ),
        Promise(
            "A models.yml found in a folder can lower a limit of cost or time and raise none without your "
            "word.",
            ("cli/test_strangers.py::test_a_models_file_of_the_folder_raises_no_limit",),
        ),
        Promise(
            "Weights that a models.yml or a suite names by their file are not loaded without your word.",
            ("cli/test_strangers.py::test_weights_that_a_folder_names_are_not_loaded",),
        ),
        Promise(
            "No Python that we start imports from the folder you are in, and no question on the terminal is "
            "drawn by it.",
            (
                "test_doors.py::test_no_python_of_ours_imports_from_the_working_folder",
                "cli/test_suite_trust.py"
                "::test_a_question_shows_no_sign_of_a_models_file_that_acts_on_the_terminal",
            ),
        ),
        Promise(
            "Your word holds for the content you saw: one changed byte asks again. No folder can give it.",
            (
                "cli/test_suite_trust.py::test_what_was_not_shown_is_not_trusted",
                "cli/test_strangers.py"
                "::test_code_in_any_folder_but_the_left_out_ones_asks_again_when_it_changes",
                "cli/test_strangers.py::test_what_no_digest_covers_is_not_named_by_a_trusted_suite",
                "cli/test_strangers.py::test_a_folder_put_in_the_place_of_ones_own_is_a_strangers",
                "cli/test_strangers.py::test_once_trusted_the_grader_runs_and_one_changed_byte_asks_again",
                "cli/test_strangers.py::test_the_folder_can_not_say_what_is_trusted",
                "core/test_trust.py",
            ),
        ),
        Promise(
            "A file is opened inside its folder, if it is a regular file, and up to a limit. No link leads "
            "out, no pipe is waited for.",
            (
                "core/test_inside.py",
                "core/test_jsonfile.py",
                "cli/test_strangers.py::test_a_copy_of_a_strangers_folder_follows_no_link",
                "authoring/test_strangers_folder.py"
                "::test_a_grader_and_its_neighbours_are_files_of_the_folder",
            ),
        ),
        Promise(
            "One file that can't be read costs its own run; the others are shown.",
            (
                "authoring/test_strangers_folder.py"
                "::test_nested_json_in_one_run_leaves_the_others_to_be_shown",
                "site/test_hostile_runs.py",
            ),
        ),
        Promise(
            "Exports write nothing outside the folder you name, and through no link in it. No cell or "
            "header of a CSV is a formula.",
            (
                "learn/exports/test_hostile_names.py",
                "site/test_hostile_runs.py::test_keys_of_json_are_no_formulas_in_the_head_of_a_table",
            ),
        ),
        Promise(
            "The database reads only the folders it was opened for, and a packed file is unpacked to a "
            "limit.",
            (
                "core/test_database.py::test_no_query_leaves_the_folders_it_was_opened_for",
                "runs/store/test_bombs.py::test_a_bomb_is_told_and_takes_no_memory",
                "runs/store/test_bombs.py"
                "::test_grades_that_repeat_themselves_are_refused_before_a_study_holds_them",
            ),
        ),
        Promise(
            "A name in a run is text in an analysis and in every export of it: no link, image, tag, heading, "
            "row or formula comes of it.",
            ("learn/exports/test_hostile_names.py::test_a_name_is_text_in_the_analysis_and_in_every_export",),
        ),
        Promise(
            "An alert is made from the verdicts. Words of an answer or a folder mention no one and are no "
            "link in it.",
            (
                "watch/alerts/test_hostile_folder.py::test_words_of_a_folder_act_in_no_channel",
                "watch/alerts/test_hostile_folder.py::test_a_pending_message_of_the_file_is_never_sent",
            ),
        ),
    ),
    "An answer": (
        Promise(
            "A program can't read your files, environment or keys, reach the network, or outlive its jail.",
            ("jail/test_jail.py", "jail/test_outlive.py", "jail/test_doctor.py"),
        ),
        Promise(
            "It can't choose whether it counts: if it breaks its checker, a trivial program decides, never "
            "what the answer printed.",
            (
                "grading/test_breaking_answers.py",
                "runs/test_breaking_trial.py"
                "::test_one_right_answer_and_twenty_that_crash_the_checker_are_one_of_twenty_one_everywhere",
            ),
        ),
        Promise(
            "It can't become missing by ending a grader of ours, and a use case that is missing though its "
            "answers came passes no gate.",
            (
                "watch/day/test_grading.py::test_an_answer_that_ends_our_grader_twice_is_wrong_in_every_part",
                "watch/verdict/test_ungraded.py",
            ),
        ),
        Promise(
            "No text keeps a grader busy longer than its length explains.",
            ("builtin/daily/test_linear.py::test_time_grows_with_the_answer_and_no_faster",),
        ),
        Promise(
            "A page earns nothing for what a reader does not see when it is opened.",
            ("builtin/daily/web_design/test_web_painted.py::test_no_trick_makes_a_blank_page_count",),
        ),
        Promise(
            "A solution can't take longer than allowed by switching off its timers.",
            ("languages/python/test_python_attacks.py::test_a_call_is_timed_from_outside",),
        ),
    ),
    "A server's reply": (
        Promise(
            "A reply is an answer or one failed request, whatever its bytes are, and never the answer to "
            "another question.",
            (
                "ask/test_hostile_bytes.py"
                "::test_no_reply_of_any_bytes_gets_an_exception_or_another_answer_out_of_the_client",
                "ask/test_wire.py::test_a_reply_sent_early_answers_no_other_question",
            ),
        ),
        Promise(
            "It takes the memory of what is kept.",
            (
                "ask/test_wire.py"
                "::test_a_long_answer_in_tiny_chunks_is_read_and_takes_the_memory_of_what_is_kept",
                "ask/test_wire.py::test_what_has_no_end_is_a_fault_long_before_time_is_up",
            ),
        ),
        Promise(
            "No redirect takes a question, a key, a catalogue, a heartbeat or an alert to another server.",
            (
                "ask/test_redirects.py::test_no_redirect_takes_a_question_to_another_server",
                "ask/test_redirects.py::test_no_redirect_takes_a_catalogue_or_a_heartbeat_to_another_server",
                "ask/test_redirects.py::test_an_alert_is_not_sent_on_to_another_server",
            ),
        ),
        Promise(
            "A key that it echoes gets into no file, in no form, and the answer is kept.",
            (
                "core/test_redact.py::test_json_stays_json_and_no_form_of_the_key_is_left",
                "runs/test_hostile_server.py::test_an_answer_with_a_broken_key_in_it_is_kept_and_paid_once",
            ),
        ),
    ),
    "The network": (
        Promise(
            "No web page reads the served site through a name of its own: only the names you gave are "
            "answered.",
            ("site/test_live.py::test_only_names_of_ours_are_answered",),
        ),
        Promise(
            "300 connections that never finish their request keep no reader of the site out.",
            ("site/test_live.py::test_300_half_sent_headers_keep_no_reader_out",),
        ),
    ),
}
"""By whom → the promises."""

//! The stores: one suite that every one of them passes, and what is true of one alone.
//!
//! A new store adds a kind to [`home::KINDS`] and a line to `every_store`.

mod files;
pub(crate) mod home;
mod killed;
mod laws;
mod life;
mod pages;
mod processes;
mod sequences;
#[cfg(feature = "sqlite")]
mod sqlite;

/// Runs each law on every store.
macro_rules! every_store {
    ($($file:ident::$law:ident,)*) => {
        mod memory {
            $(#[test] fn $law() { super::$file::$law(&super::home::Home::new(super::home::Kind::Memory)); })*
        }
        mod dir {
            $(#[test] fn $law() { super::$file::$law(&super::home::Home::new(super::home::Kind::Dir)); })*
        }
        #[cfg(feature = "sqlite")]
        mod in_sqlite {
            $(#[test] fn $law() { super::$file::$law(&super::home::Home::new(super::home::Kind::Sqlite)); })*
        }
    };
}

every_store! {
    laws::what_is_put_is_found_whole,
    laws::the_same_text_again_is_the_same_record,
    laws::another_text_of_a_call_is_its_next_record,
    laws::another_tool_or_error_flag_is_another_record,
    laws::sessions_are_apart,
    laws::hostile_ids_are_kept_as_they_are,
    laws::ids_are_found_by_their_normalized_form,
    laws::the_newest_comes_first,
    laws::lists_are_read_on,
    laws::lists_go_by_tool,
    laws::places_come_back,
    laws::views_are_known,
    laws::what_is_not_there_is_said,
    laws::plain_is_what_a_terminal_may_print,
    life::a_removed_text_leaves_its_row_and_returns,
    life::a_removed_session_leaves_nothing,
    life::ids_are_never_used_again,
    life::age_ends_a_text,
    life::live_sessions_are_spared,
    life::a_small_quota_holds_for_ten_thousand_records,
    life::live_sessions_alone_fill_the_quota,
    life::a_sweep_goes_to_nine_tenths,
    life::a_record_from_the_end_of_time_is_swept,
    life::a_session_that_ended_is_not_live_again,
    life::records_over_the_limit_are_refused,
    life::few_are_remembered_without_text,
    life::a_fresh_store_checks_clean,
    pages::pages_join_at_every_length,
    pages::pages_of_a_long_text_join,
    pages::a_page_reads_no_more_than_its_pieces,
}

//! Why nothing was saved, in a line for people: what, where, and what to do.

use slotledger::content::Call;
use slotledger::history::{SaveError, Subject, WriteError, WriteProblem};

use crate::words::{count, fit, harmless, of_number};

/// What a refusal says of the history.
pub(super) fn why(error: &SaveError) -> String {
    match error {
        SaveError::NotEnough { found: 0, scanned, .. } => {
            format!("no images in {}", of_number(*scanned, "message"))
        }
        SaveError::NotEnough { found, index, scanned } => format!(
            "no image {index}: there are {} in {}, counted from 0",
            count(*found),
            of_number(*scanned, "message")
        ),
        SaveError::AttachmentNotInline { index } => format!(
            "image {index} is an attachment whose bytes are elsewhere, behind a URL or a file id; \
             get it from there"
        ),
        SaveError::Reference { index, ref_id, media_type, call } => format!(
            "image {index} is a reference ({}, {}) in the result of {}, and its bytes were never \
             here; get it from the server",
            name(ref_id),
            name(media_type),
            of(call)
        ),
        SaveError::NoRef { index, call } => format!(
            "image {index} in the result of {} is a placeholder that names no image; choose another",
            of(call)
        ),
        SaveError::Foreign { index, image, owner, call } => format!(
            "image {index} in the result of {} is a placeholder that cites {image}, which is of {}; \
             it is quoted or forged, so choose another",
            of(call),
            of(owner)
        ),
        SaveError::Evicted { image, call, .. } => {
            format!("{image}, from {}, was let go by the ledger, so its bytes are gone", of(call))
        }
        SaveError::NotKnown { image, call, .. } => format!(
            "the bytes of {image}, in the result of {}, are not here; --ledger can name an archive \
             that has them",
            of(call)
        ),
        SaveError::Undecodable { subject, source } => {
            format!("{} cannot be decoded: {source}; choose another", subject_name(*subject))
        }
        SaveError::OnlyQuoted { image, owner } => format!(
            "{image} is of {} and stands only in results of other calls, where it is quoted or forged",
            of(owner)
        ),
        SaveError::UnknownRef { image } => format!(
            "{image} does not stand here; a ref that `images --json` told is good until the history \
             changes, and with the same --all"
        ),
        SaveError::NotInContext { image, owner, scanned, .. } => format!(
            "{image}, of {}, does not stand in the {} looked at",
            of(owner),
            of_number(*scanned, "message")
        ),
        // Neither arguments nor open calls can be wrong here.
        SaveError::BadPath
        | SaveError::BadRef
        | SaveError::BadIndex
        | SaveError::BadCount
        | SaveError::ConflictingSelectors
        | SaveError::SiblingsPending(_)
        | _ => error.to_string(),
    }
}

/// What is said of a file that was not written.
pub(super) fn why_not_written(error: &WriteError) -> String {
    let why = match &error.problem {
        WriteProblem::Path => {
            "no file inside the folder; give a relative path without .., and the folder with --into"
                .to_owned()
        }
        WriteProblem::Exists => {
            "exists; give another --path, or --replace to write over it".to_owned()
        }
        WriteProblem::Undecodable(problem) => format!("the image cannot be decoded: {problem}"),
        WriteProblem::Io(problem) => format!("cannot be written: {problem}"),
        // A problem that came after this version.
        other => format!("cannot be written: {other:?}"),
    };
    match error.written.len() {
        0 => format!("{why}; nothing was written"),
        written => format!("{why}; {} written before it", of_number(written, "file")),
    }
}

fn subject_name(subject: Subject) -> String {
    match subject {
        Subject::Index(index) => format!("image {index}"),
        Subject::Ref(image) => image.to_string(),
    }
}

/// `snap (call toolu_1)`.
fn of(call: &Call) -> String {
    let tool = if call.tool.is_empty() { "an unknown tool" } else { &*call.tool };
    format!("{} (call {})", name(tool), name(&call.id))
}

/// A name from outside, harmless and not too long for a line.
fn name(name: &str) -> String {
    fit(&harmless(name), 60).into_owned()
}

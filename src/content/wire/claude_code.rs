//! Claude Code session files: an Anthropic message in an envelope, one a line.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use memchr::memchr_iter;
use serde::de::{IgnoredAny, MapAccess};

use super::anthropic::RawMessage;
use crate::content::error::ParseError;
use crate::content::json::{Document, Source};
use crate::content::message::{Message, Part};
use crate::content::shape::{FromMembers, Key, Shape, Skipped};

/// Which lines of a session file make the conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// What is sent to the model: the live branch, behind the last compaction.
    #[default]
    Live,
    /// Every message of the file: abandoned branches, sidechains and what was compacted too.
    Everything,
}

/// The conversation of a session file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transcript {
    /// The messages, in the order of the file; lines of one message id are one message.
    pub messages: Vec<Message>,
    /// The lines that are no JSON, from 1: a torn last line, for example.
    pub unreadable_lines: Vec<usize>,
}

/// Reads a session file.
///
/// The live branch runs from the leaf up the `parentUuid`s. Parallel calls fan out, so the lines
/// of the same message id and the results under them belong to it too. Results are read from
/// `message`; the mirror of a result for display, `toolUseResult`, is passed over.
///
/// `progress` is told how many bytes were read, line by line.
///
/// ```
/// use slotledger::content::wire::claude_code::{self, Scope};
/// let file = br#"{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"hi"}}
/// {"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"m1","role":"assistant","content":[]}}
/// {"type":"assi"#;
/// let transcript = claude_code::read(&file.as_slice().into(), Scope::Live, |_| {})?;
/// assert_eq!(transcript.messages.len(), 2);
/// assert_eq!(transcript.unreadable_lines, [3]);
/// # Ok::<(), slotledger::content::ParseError>(())
/// ```
///
/// # Errors
///
/// When there are lines, and none is a JSON object.
pub fn read(
    bytes: &Bytes,
    scope: Scope,
    mut progress: impl FnMut(usize),
) -> Result<Transcript, ParseError> {
    let mut lines = Vec::new();
    let mut unreadable_lines = Vec::new();
    let mut first_error = None;
    let mut has_object = false;
    let mut start = 0;
    let ends = memchr_iter(b'\n', bytes).chain([bytes.len()]);
    for (number, end) in ends.enumerate() {
        let line = bytes.get(start..end).unwrap_or_default();
        let at = std::mem::replace(&mut start, end + 1);
        progress(end);
        if line.trim_ascii().is_empty() {
            continue;
        }
        match Source::of_part(bytes, line).and_then(Source::read::<Envelope<'_>>) {
            Ok(Some(line)) if line.says_something() => lines.push(line),
            Ok(Some(_)) => has_object = true,
            Ok(None) => {
                first_error.get_or_insert_with(ParseError::messages);
            }
            Err(error) => {
                unreadable_lines.push(number + 1);
                first_error.get_or_insert(error.behind(at));
            }
        }
    }
    has_object |= !lines.is_empty();
    if let (false, Some(error)) = (has_object, first_error) {
        return Err(error);
    }
    let chosen: HashSet<usize> = match scope {
        Scope::Live => live_branch(&lines),
        Scope::Everything => (0..lines.len()).collect(),
    };
    let mut messages: Vec<Message> = Vec::new();
    let mut last_id = None;
    for (at, line) in lines.into_iter().enumerate() {
        let Some(message) = line.message.filter(|_| chosen.contains(&at)) else { continue };
        match messages.last_mut() {
            Some(last) if line.message_id.is_some() && line.message_id == last_id => {
                last.parts.extend(message.parts);
            }
            Some(_) | None => messages.push(message),
        }
        last_id = line.message_id;
    }
    Ok(Transcript { messages, unreadable_lines })
}

/// A line: what its links say, and its message if it has one.
#[derive(Debug)]
struct Line {
    uuid: Option<String>,
    parent: Option<String>,
    kind: Kind,
    is_sidechain: bool,
    message_id: Option<String>,
    message: Option<Message>,
}

impl Line {
    /// Whether it has a message, a place in the links, or the leaf.
    fn says_something(&self) -> bool {
        self.message.is_some() || self.uuid.is_some() || self.kind != Kind::Other
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// A line of the conversation.
    Conversation,
    /// What lies before it is not sent again.
    CompactBoundary,
    /// The bookkeeping line that names the leaf.
    LastPrompt { leaf: String },
    /// Any other line; links run through it.
    Other,
}

#[derive(Debug, Default)]
struct Envelope<'a> {
    kind: Option<Cow<'a, str>>,
    subtype: Option<Cow<'a, str>>,
    uuid: Option<Cow<'a, str>>,
    parent: Option<Cow<'a, str>>,
    leaf: Option<Cow<'a, str>>,
    is_sidechain: bool,
    is_for_display: bool,
    message: Option<RawMessage<'a>>,
    prompt: Option<RawMessage<'a>>,
}

impl<'de> FromMembers<'de> for Envelope<'de> {
    fn from_members<M: MapAccess<'de>>(mut members: M) -> Result<Self, M::Error> {
        let mut read = Self::default();
        while let Some(key) = members.next_key::<Key<'de>>()? {
            let field = match key.0.as_ref() {
                "type" => &mut read.kind,
                "subtype" => &mut read.subtype,
                "uuid" => &mut read.uuid,
                "parentUuid" => &mut read.parent,
                "leafUuid" => &mut read.leaf,
                "message" => {
                    read.message = Some(members.next_value()?);
                    continue;
                }
                "attachment" => {
                    let attachment = members.next_value::<Shape<'de, Skipped, Attached<'de>>>()?;
                    read.prompt = attachment.object().and_then(|attached| attached.0);
                    continue;
                }
                flag @ ("isSidechain" | "isVisibleInTranscriptOnly") => {
                    let is_sidechain = flag == "isSidechain";
                    let is_set = matches!(members.next_value::<Shape<'de>>()?, Shape::Bool(true));
                    if is_sidechain {
                        read.is_sidechain = is_set;
                    } else {
                        read.is_for_display = is_set;
                    }
                    continue;
                }
                _ => {
                    members.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *field = members.next_value::<Shape<'de>>()?.string();
        }
        Ok(read)
    }
}

/// An attachment, whose `prompt` can hold images.
struct Attached<'a>(Option<RawMessage<'a>>);

impl<'de> FromMembers<'de> for Attached<'de> {
    fn from_members<M: MapAccess<'de>>(mut members: M) -> Result<Self, M::Error> {
        let mut prompt = None;
        while let Some(key) = members.next_key::<Key<'de>>()? {
            if key.0 == "prompt" {
                prompt = Some(RawMessage::of_user(members.next_value()?));
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Self(prompt))
    }
}

impl Document for Envelope<'_> {
    type Raw<'a> = Shape<'a, Skipped, Envelope<'a>>;
    type Read = Option<Line>;

    fn read(raw: Self::Raw<'_>, source: &Source) -> Self::Read {
        let envelope = raw.object()?;
        let kind = match (envelope.kind.as_deref(), envelope.subtype.as_deref(), envelope.leaf) {
            (Some("user" | "assistant"), ..) => Kind::Conversation,
            (Some("system"), Some("compact_boundary"), _) => Kind::CompactBoundary,
            (Some("last-prompt"), _, Some(leaf)) => Kind::LastPrompt { leaf: leaf.into_owned() },
            _ => Kind::Other,
        };
        let message = match kind {
            Kind::Conversation => envelope.message.filter(|_| !envelope.is_for_display),
            Kind::CompactBoundary | Kind::LastPrompt { .. } | Kind::Other => envelope.prompt,
        };
        let message_id = message.as_ref().and_then(|message| message.id.as_deref());
        Some(Line {
            uuid: envelope.uuid.map(Cow::into_owned),
            parent: envelope.parent.map(Cow::into_owned),
            kind,
            is_sidechain: envelope.is_sidechain,
            message_id: message_id.map(str::to_owned),
            message: message.map(|message| message.read(source)),
        })
    }
}

/// The lines of the live branch and what belongs to them.
fn live_branch(lines: &[Line]) -> HashSet<usize> {
    let main = || lines.iter().enumerate().filter(|(_, line)| !line.is_sidechain);
    // Resumed files can repeat a uuid: a parent is the nearest one before its child.
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in main() {
        if let Some(uuid) = &line.uuid {
            places.entry(uuid).or_default().push(at);
        }
    }
    let parent_of = |at: usize| -> Option<usize> {
        let line = lines.get(at).filter(|line| line.kind != Kind::CompactBoundary)?;
        let candidates = places.get(line.parent.as_deref()?)?;
        let before = candidates.partition_point(|&candidate| candidate < at);
        candidates.get(before.checked_sub(1)?).copied()
    };
    let conversation = || main().filter(|(_, line)| line.kind == Kind::Conversation);
    let linked = conversation().filter(|&(at, _)| parent_of(at).is_some()).count();
    let roots = conversation().count() - linked;
    if linked < roots.saturating_sub(1) {
        // A file that hardly links its lines is a list.
        return main().map(|(at, _)| at).collect();
    }
    let branch = |leaf| std::iter::successors(Some(leaf), |&at| parent_of(at));
    let newest = conversation().last();
    let named = main().rev().find_map(|(_, line)| match &line.kind {
        Kind::LastPrompt { leaf } => places.get(leaf.as_str())?.last().copied(),
        Kind::Conversation | Kind::CompactBoundary | Kind::Other => None,
    });
    let leaf = match (named, newest.map(|(at, _)| at)) {
        // The prompt was named before its answer came.
        (Some(named), Some(newest)) if branch(newest).any(|at| at == named) => Some(newest),
        (named, newest) => named.or(newest),
    };
    let mut chosen: HashSet<usize> = leaf.into_iter().flat_map(branch).collect();
    // Resumed files can repeat a line: what was chosen once is not chosen again.
    let uuid_of = |at: usize| lines.get(at).and_then(|line| line.uuid.as_deref());
    let mut uuids: HashSet<&str> = chosen.iter().filter_map(|&at| uuid_of(at)).collect();
    let ids: HashSet<&str> =
        chosen.iter().filter_map(|&at| lines.get(at)?.message_id.as_deref()).collect();
    for (at, line) in main() {
        let is_joined = line.message_id.as_deref().is_some_and(|id| ids.contains(id));
        let is_result =
            || holds_result(line) && parent_of(at).is_some_and(|at| chosen.contains(&at));
        let is_new = || uuid_of(at).is_none_or(|uuid| !uuids.contains(uuid));
        if (is_joined || is_result()) && is_new() {
            uuids.extend(uuid_of(at));
            chosen.insert(at);
        }
    }
    chosen
}

fn holds_result(line: &Line) -> bool {
    let parts = line.message.as_ref().map(|message| message.parts.as_slice()).unwrap_or_default();
    parts.iter().any(|part| matches!(part, Part::Result { .. }))
}

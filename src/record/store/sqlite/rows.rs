//! Rows of the file, and the words that stand for values in them.

use bytestring::ByteString;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{ErrorCode, Row};

use super::contract::EmittedView;
use super::error::StoreError;
use super::measure::time_of;
use crate::copy::{BlockKind, BlockSpan};
use crate::record::record::{Gone, Meta, RecordId, Sizes, SlotPlace};
use crate::text::{Span, Unit};

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly,
            Some(ErrorCode::NotADatabase) => Self::NotAStore,
            _ => Self::failed(error),
        }
    }
}

/// A number of the file, none of which is negative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number(pub(super) usize);

impl ToSql for Number {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(i64::try_from(self.0).unwrap_or(i64::MAX)))
    }
}

impl FromSql for Number {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let number = value.as_i64()?;
        usize::try_from(number).map(Self).map_err(|_| FromSqlError::OutOfRange(number))
    }
}

/// The same for what is 64 bits wide everywhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wide(pub(super) u64);

impl ToSql for Wide {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(i64::try_from(self.0).unwrap_or(i64::MAX)))
    }
}

impl FromSql for Wide {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Ok(Self(value.as_i64()?.cast_unsigned()))
    }
}

impl ToSql for RecordId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(i64::try_from(self.0).unwrap_or(i64::MAX)))
    }
}

impl FromSql for RecordId {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Wide::column_result(value).map(|id| Self(id.0))
    }
}

impl ToSql for Gone {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.as_str().into())
    }
}

impl FromSql for Gone {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "age" => Ok(Self::Age),
            "quota" => Ok(Self::Quota),
            "request" => Ok(Self::Request),
            "damage" => Ok(Self::Damage),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

impl ToSql for Unit {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Utf16 => "utf16",
            Self::Char => "char",
            Self::Byte => "byte",
        }
        .into())
    }
}

impl FromSql for Unit {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "utf16" => Ok(Self::Utf16),
            "char" => Ok(Self::Char),
            "byte" => Ok(Self::Byte),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

impl ToSql for BlockKind {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Text => "text",
            Self::Image => "image",
            Self::Reference => "reference",
        }
        .into())
    }
}

impl FromSql for BlockKind {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "text" => Ok(Self::Text),
            "image" => Ok(Self::Image),
            "reference" => Ok(Self::Reference),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

fn number(row: &Row<'_>, column: &str) -> rusqlite::Result<usize> {
    Ok(row.get::<_, Number>(column)?.0)
}

fn text(row: &Row<'_>, column: &str) -> rusqlite::Result<ByteString> {
    Ok(row.get_ref(column)?.as_str()?.into())
}

/// The columns that [`meta`] reads, of `record r JOIN session s`.
pub(super) const META: &str = "r.id, s.name AS session, r.call_id, r.nth, r.tool, r.is_error, \
    r.complete, r.plain, r.type, r.unit, r.bytes, r.chars, r.utf16, r.lines, r.sha256, r.created, \
    r.gone, (SELECT count(*) FROM place WHERE record_id = r.id AND what = 'slot') AS slots";

pub(super) fn meta(row: &Row<'_>) -> rusqlite::Result<Meta> {
    Ok(Meta {
        id: row.get("id")?,
        session: text(row, "session")?,
        call_id: text(row, "call_id")?,
        nth: row.get("nth")?,
        tool: text(row, "tool")?,
        is_error: row.get("is_error")?,
        complete: row.get("complete")?,
        plain: row.get("plain")?,
        content_type: text(row, "type")?,
        unit: row.get("unit")?,
        sizes: Sizes {
            bytes: number(row, "bytes")?,
            chars: number(row, "chars")?,
            utf16: number(row, "utf16")?,
            lines: number(row, "lines")?,
        },
        sha256: row.get("sha256")?,
        slots: number(row, "slots")?,
        created: time_of(row.get::<_, Wide>("created")?.0),
        gone: row.get("gone")?,
    })
}

pub(super) fn span(row: &Row<'_>) -> rusqlite::Result<Span> {
    Ok(Span::new(number(row, "start")?, number(row, "end")?))
}

pub(super) fn block(row: &Row<'_>) -> rusqlite::Result<BlockSpan> {
    Ok(BlockSpan { kind: row.get("kind")?, span: span(row)? })
}

pub(super) fn slot(row: &Row<'_>) -> rusqlite::Result<SlotPlace> {
    Ok(SlotPlace {
        span: span(row)?,
        shown: row.get("shown")?,
        reference: row.get_ref("ref")?.as_str_or_null()?.map(ByteString::from),
        media_type: text(row, "media_type")?,
    })
}

/// The view of a session and call that `row` tells of. One without a range starts before 0.
pub(super) fn view(row: &Row<'_>) -> rusqlite::Result<EmittedView> {
    let is_page = row.get::<_, i64>("start")? >= 0;
    let range = if is_page { Some((number(row, "start")?, number(row, "end")?)) } else { None };
    Ok(EmittedView {
        session: text(row, "session")?,
        call_id: text(row, "call_id")?,
        sha256: row.get("sha256")?,
        record: row.get("record_id")?,
        kind: text(row, "kind")?,
        range,
    })
}

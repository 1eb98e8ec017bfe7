//! The arguments of a save (SPEC 19.2).

use serde_json::{Value, json};
use slotledger::history::{SaveError, SaveRequest, Selector};

fn parse(arguments: &str) -> Result<SaveRequest, SaveError> {
    SaveRequest::parse(&serde_json::from_str(arguments).unwrap())
}

#[test]
fn what_selects_by_index() {
    for (members, index, count) in [
        ("", 0, 1),
        (r#","index":null,"count":null,"ref":null"#, 0, 1),
        (r#","index":3"#, 3, 1),
        (r#","index":"3","count":"20""#, 3, 20),
        (r#","index":3.0,"count":2.0e0"#, 3, 2),
        (r#","index":-0"#, 0, 1),
        (r#","index":"007","count":"01""#, 7, 1),
        (r#","index":18446744073709551615"#, usize::MAX, 1),
        (r#","index":18446744073709551616"#, usize::MAX, 1),
        (r#","index":1e300"#, usize::MAX, 1),
        (r#","index":"340282366920938463463374607431768211456""#, usize::MAX, 1),
        (r#","index":1,"unknown":[true]"#, 1, 1),
        (r#","Index":7,"COUNT":9,"Ref":"x""#, 0, 1),
    ] {
        let request = parse(&format!(r#"{{"path":"a.png"{members}}}"#)).expect(members);
        assert_eq!(request.selector, Selector::Recent { index, count }, "{members}");
        assert_eq!(request.path, "a.png");
    }
}

#[test]
fn what_selects_by_ref() {
    for image in ["img_k7x3q2_7", "img_0_0", "img_zzzzzzzzzzzzzzzz_9999999999999999"] {
        let arguments = json!({"path": " ", "ref": image, "index": null, "count": null});
        let request = SaveRequest::parse(&arguments).expect(image);
        assert_eq!(request.selector, Selector::Ref(image.parse().unwrap()));
        assert_eq!(request.path, " ", "not empty");
    }
}

#[test]
fn what_is_refused_by_name() {
    let bad: [(&str, &[Value]); 4] = [
        ("path", &[json!(null), json!(""), json!(7), json!(["a"]), json!({}), json!(false)]),
        (
            "ref",
            &[
                json!(""),
                json!(" "),
                json!("img_1"),
                json!("img_a_1 "),
                json!("img_A_1"),
                json!("img__1"),
                json!("img_a_"),
                json!("img_aaaaaaaaaaaaaaaaa_1"),
                json!("img_a_12345678901234567"),
                json!("[image: a/b, 1B, ref img_a_1]"),
                json!(7),
                json!(false),
                json!([]),
                json!({}),
            ],
        ),
        (
            "index",
            &[
                json!(""),
                json!(" "),
                json!("1.0"),
                json!("-1"),
                json!("+1"),
                json!("1 "),
                json!("\u{661}"),
                json!(-1),
                json!(-1e300),
                json!(1.5),
                json!(1e-9),
                json!(true),
                json!([]),
                json!([1]),
                json!({}),
            ],
        ),
        (
            "count",
            &[
                json!(0),
                json!(21),
                json!("0"),
                json!("21"),
                json!(""),
                json!(-1),
                json!(1.5),
                json!(1e300),
                json!(true),
                json!([2]),
                json!({}),
            ],
        ),
    ];
    for (name, values) in bad {
        for value in values {
            let mut arguments = json!({"path": "a.png"});
            arguments[name] = value.clone();
            let error = SaveRequest::parse(&arguments).expect_err("refused");
            let said = error.notice();
            assert_eq!(error.reason(), "bad_selector", "{name} {value}");
            assert!(said.contains(&format!("`{name}`")), "{name} {value}: {said}");
        }
    }
    for arguments in ["null", "[]", "7", r#""a.png""#, "{}"] {
        assert_eq!(parse(arguments), Err(SaveError::BadPath), "{arguments}");
    }
}

#[test]
fn the_first_that_is_wrong_is_named() {
    for (arguments, expected) in [
        (r#"{"path":"","ref":"","index":-1,"count":0}"#, SaveError::BadPath),
        (r#"{"path":"a","ref":"","index":-1,"count":0}"#, SaveError::BadRef),
        (r#"{"path":"a","ref":"img_a_1","index":-1,"count":0}"#, SaveError::ConflictingSelectors),
        (r#"{"path":"a","ref":"img_a_1","count":1}"#, SaveError::ConflictingSelectors),
        (r#"{"path":"a","ref":"img_a_1","index":0}"#, SaveError::ConflictingSelectors),
        (r#"{"path":"a","ref":null,"index":-1,"count":0}"#, SaveError::BadIndex),
        (r#"{"path":"a","index":1,"count":0}"#, SaveError::BadCount),
    ] {
        assert_eq!(parse(arguments), Err(expected), "{arguments}");
    }
}

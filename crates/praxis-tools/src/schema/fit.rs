//! Checking arguments against a shape, and putting right what can only mean one thing.

use serde_json::{Map, Number, Value};

use super::fault::{Step, Trail, excerpt};
use super::shape::{Extra, Kind, Node};
use super::{Fault, Shape};

/// Arguments nest; a reader that follows them must not run out of stack.
const DEEPEST: usize = 128;

/// One walk over some arguments.
pub(super) struct Fitting<'s> {
    shape: &'s Shape,
    pub(super) faults: Vec<Fault>,
    lenient: bool,
    depth: usize,
}

impl<'s> Fitting<'s> {
    pub(super) fn new(shape: &'s Shape) -> Self {
        Self { shape, faults: Vec::new(), lenient: true, depth: 0 }
    }

    pub(super) fn node(&mut self, node: &Node, value: &mut Value, trail: &Trail<'_>) {
        self.depth += 1;
        if self.depth > DEEPEST {
            self.fault(trail, "Nested too deeply".to_owned());
        } else {
            self.checks(node, value, trail);
        }
        self.depth -= 1;
    }

    fn checks(&mut self, node: &Node, value: &mut Value, trail: &Trail<'_>) {
        if let Some(target) = node.reference.as_ref().and_then(|name| self.shape.definitions.get(name)) {
            self.node(target, value, trail);
        }
        if !self.kind(node, value, trail) {
            return;
        }
        self.values(node, value, trail);
        match value {
            Value::Object(map) => self.object(node, map, trail),
            Value::Array(items) => self.array(node, items, trail),
            Value::String(text) => self.text(node, text, trail),
            Value::Number(number) => self.number(node, number, trail),
            Value::Null | Value::Bool(_) => {}
        }
        for part in &node.all_of {
            self.node(part, value, trail);
        }
        self.alternatives(node, value, trail);
    }

    /// Whether the value is of a kind that fits, or could be made one.
    fn kind(&mut self, node: &Node, value: &mut Value, trail: &Trail<'_>) -> bool {
        if node.kinds.is_empty() || node.kinds.iter().any(|kind| kind.takes(value)) {
            return true;
        }
        if self.lenient
            && let Some(meant) = node.kinds.iter().find_map(|kind| read_as(*kind, value))
        {
            *value = meant;
            return true;
        }
        let expected: Vec<_> = node.kinds.iter().map(|kind| kind.phrase()).collect();
        self.fault(trail, format!("Expected {}, got {}", expected.join(" or "), excerpt(value)));
        false
    }

    fn values(&mut self, node: &Node, value: &Value, trail: &Trail<'_>) {
        let Some(values) = &node.values else { return };
        if !values.contains(value) {
            let expected: Vec<_> = values.iter().map(excerpt).collect();
            self.fault(trail, format!("Expected {}, got {}", expected.join(" | "), excerpt(value)));
        }
    }

    fn object(&mut self, node: &Node, map: &mut Map<String, Value>, trail: &Trail<'_>) {
        for (name, property) in &node.properties {
            let required = node.required.contains(name);
            match map.get_mut(name) {
                Some(Value::Null) if !required && !property.takes_null() => {
                    map.shift_remove(name);
                }
                Some(value) => self.node(property, value, &trail.then(Step::Key(name))),
                None => {}
            }
        }
        for name in &node.required {
            if !map.contains_key(name) {
                self.fault(&trail.then(Step::Key(name)), "Missing key".to_owned());
            }
        }
        let named = |name: &String| node.properties.iter().any(|(known, _)| known == name);
        match &node.extra {
            Extra::Keep => {}
            Extra::Drop => map.retain(|name, _| named(name)),
            Extra::Check(schema) => {
                for (name, value) in map.iter_mut().filter(|(name, _)| !named(name)) {
                    self.node(schema, value, &trail.then(Step::Key(name)));
                }
            }
        }
    }

    fn array(&mut self, node: &Node, items: &mut [Value], trail: &Trail<'_>) {
        let count = items.len();
        if node.range.fewest.is_some_and(|fewest| count < fewest) {
            self.fault(
                trail,
                format!("Expected at least {} items, got {count}", node.range.fewest.unwrap_or(0)),
            );
        }
        if node.range.most.is_some_and(|most| count > most) {
            self.fault(
                trail,
                format!("Expected at most {} items, got {count}", node.range.most.unwrap_or(0)),
            );
        }
        if let Some(schema) = &node.items {
            for (index, item) in items.iter_mut().enumerate() {
                self.node(schema, item, &trail.then(Step::Index(index)));
            }
        }
    }

    fn text(&mut self, node: &Node, text: &str, trail: &Trail<'_>) {
        if node.range.shortest.is_none() && node.range.longest.is_none() && node.pattern.is_none() {
            return;
        }
        let length = text.chars().count();
        if let Some(shortest) = node.range.shortest.filter(|shortest| length < *shortest) {
            self.fault(trail, format!("Expected at least {shortest} characters, got {length}"));
        }
        if let Some(longest) = node.range.longest.filter(|longest| length > *longest) {
            self.fault(trail, format!("Expected at most {longest} characters, got {length}"));
        }
        if let Some(pattern) = node.pattern.as_ref().filter(|pattern| !pattern.is_match(text)) {
            self.fault(
                trail,
                format!("Expected a string that matches {pattern}, got {}", excerpt(&text.into())),
            );
        }
    }

    fn number(&mut self, node: &Node, number: &Number, trail: &Trail<'_>) {
        let Some(value) = number.as_f64() else { return };
        let range = &node.range;
        let wrong = [
            range.above.filter(|limit| value <= *limit).map(|limit| format!("more than {limit}")),
            range.below.filter(|limit| value >= *limit).map(|limit| format!("less than {limit}")),
            range.minimum.filter(|limit| value < *limit).map(|limit| format!("at least {limit}")),
            range.maximum.filter(|limit| value > *limit).map(|limit| format!("at most {limit}")),
        ];
        if let Some(expected) = wrong.into_iter().flatten().next() {
            self.fault(trail, format!("Expected a number of {expected}, got {number}"));
        }
    }

    /// Several forms: one that fits as it is wins over one that fits after mending.
    fn alternatives(&mut self, node: &Node, value: &mut Value, trail: &Trail<'_>) {
        if node.any_of.is_empty() {
            return;
        }
        let passes: &[bool] = if self.lenient { &[false, true] } else { &[false] };
        let mut closest: Option<Vec<Fault>> = None;
        for &lenient in passes {
            for form in &node.any_of {
                let mut candidate = value.clone();
                let mut attempt =
                    Fitting { shape: self.shape, faults: Vec::new(), lenient, depth: self.depth };
                attempt.node(form, &mut candidate, trail);
                if attempt.faults.is_empty() {
                    *value = candidate;
                    return;
                }
                // The form whose kind fits is the one that was meant: its faults lie deeper.
                let deeper =
                    |faults: &[Fault]| faults.iter().map(|fault| fault.path.len()).max().unwrap_or(0);
                if closest.as_ref().is_none_or(|known| deeper(&attempt.faults) > deeper(known)) {
                    closest = Some(attempt.faults);
                }
            }
        }
        let here = trail.write();
        match closest {
            Some(faults) if faults.iter().any(|fault| fault.path != here) => self.faults.extend(faults),
            _ => {
                let forms: Vec<String> = node.any_of.iter().map(form_phrase).collect();
                self.fault(trail, format!("Expected {}, got {}", forms.join(" or "), excerpt(value)));
            }
        }
    }

    fn fault(&mut self, trail: &Trail<'_>, problem: String) {
        self.faults.push(Fault { path: trail.write(), problem });
    }
}

fn form_phrase(node: &Node) -> String {
    match (&node.values, node.kinds.as_slice()) {
        (Some(values), _) => values.iter().map(excerpt).collect::<Vec<_>>().join(" | "),
        (None, []) => "another form".to_owned(),
        (None, kinds) => kinds.iter().map(|kind| kind.phrase()).collect::<Vec<_>>().join(" or "),
    }
}

/// What a value of the wrong kind can only mean.
fn read_as(kind: Kind, value: &Value) -> Option<Value> {
    match (kind, value) {
        (Kind::Integer, Value::Number(number)) => whole(number.as_f64()?),
        (Kind::Integer, Value::String(text)) => {
            let text = text.trim();
            text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<u64>().map(Value::from)).ok()
        }
        (Kind::Number, Value::String(text)) => match serde_json::from_str(text.trim()).ok()? {
            Value::Number(number) => Some(Value::Number(number)),
            _ => None,
        },
        (Kind::Boolean, Value::String(text)) => match text.trim() {
            word if word.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
            word if word.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
            _ => None,
        },
        (Kind::Array | Kind::Object, Value::String(text)) => {
            let opening = if kind == Kind::Array { '[' } else { '{' };
            let text = text.trim();
            text.starts_with(opening).then(|| serde_json::from_str(text).ok()).flatten()
        }
        _ => None,
    }
}

/// `7.0` is seven.
fn whole(number: f64) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and within the exact range")]
    let integer = (number.fract() == 0.0 && number.abs() < EXACT).then_some(number as i64);
    integer.map(Value::from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::schema::describe_faults;

    fn fit(schema: Value, mut value: Value) -> Result<Value, String> {
        match Shape::compile(&schema).fit(&mut value) {
            Ok(()) => Ok(value),
            Err(faults) => Err(describe_faults(&faults)),
        }
    }

    fn questions() -> Value {
        json!({
            "type": "object",
            "properties": {
                "questions": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": { "question": { "type": "string" }, "multiple": { "type": "boolean" } },
                        "required": ["question"],
                    },
                },
            },
            "required": ["questions"],
        })
    }

    #[test]
    fn faults_say_where() {
        let told = |value| fit(questions(), value).unwrap_err();
        assert_eq!(
            told(json!({ "questions": [{ "question": 5 }, {}, 7] })),
            r#"Expected a string, got 5 at ["questions"][0]["question"]; Missing key at ["questions"][1]["question"]; Expected an object, got 7 at ["questions"][2]"#
        );
        assert_eq!(told(json!({})), r#"Missing key at ["questions"]"#);
        assert_eq!(told(json!([1])), "Expected an object, got an array of 1");
        assert_eq!(told(json!(null)), "Expected an object, got null");
        assert_eq!(told(json!("text")), "Expected an object, got \"text\"");
    }

    #[test]
    fn a_megabyte_in_the_wrong_place_is_not_repeated() {
        let told = fit(questions(), json!({ "questions": "x".repeat(1 << 20) })).unwrap_err();
        assert!(told.len() < 200, "{told}");
        let many: Vec<_> = (0..1_000).map(Value::from).collect();
        let told = fit(questions(), json!({ "questions": many })).unwrap_err();
        assert!(told.ends_with("; and 992 more") && told.len() < 600, "{told}");
    }

    #[test]
    fn extra_keys_pass_and_null_is_absent() {
        let value = json!({ "questions": [{ "question": "a", "custom": true, "multiple": null }] });
        assert_eq!(
            fit(questions(), value),
            Ok(json!({ "questions": [{ "question": "a", "custom": true }] }))
        );
        assert!(fit(questions(), json!({ "questions": null })).is_err());
    }

    #[test]
    fn strings_become_what_they_can_only_mean() {
        let schema = |kind: Value| json!({ "type": "object", "properties": { "x": { "type": kind } } });
        let read =
            |kind: &str, text: &str| fit(schema(json!(kind)), json!({ "x": text })).map(|v| v["x"].clone());
        assert_eq!(read("integer", "7"), Ok(json!(7)));
        assert_eq!(read("integer", " -7 "), Ok(json!(-7)));
        assert_eq!(read("number", "1.5"), Ok(json!(1.5)));
        assert_eq!(read("boolean", "true"), Ok(json!(true)));
        assert_eq!(read("boolean", "False"), Ok(json!(false)));
        assert_eq!(read("array", "[1]"), Ok(json!([1])));
        for (kind, text) in
            [("integer", "7.5"), ("integer", "seven"), ("integer", ""), ("number", "NaN"), ("number", "0x1")]
        {
            assert!(read(kind, text).is_err(), "{kind} {text}");
        }
        for (kind, text) in [("boolean", "yes"), ("boolean", "1"), ("array", "a,b"), ("object", "[1]")] {
            assert!(read(kind, text).is_err(), "{kind} {text}");
        }
        assert_eq!(fit(schema(json!("integer")), json!({ "x": 7.0 })), Ok(json!({ "x": 7 })));
        assert!(fit(schema(json!("integer")), json!({ "x": 7.5 })).is_err());
        assert!(fit(schema(json!("string")), json!({ "x": 7 })).is_err());
        // A string fits as it is, so nothing is guessed.
        assert_eq!(fit(schema(json!(["integer", "string"])), json!({ "x": "7" })), Ok(json!({ "x": "7" })));
    }

    #[test]
    fn one_of_several_forms() {
        let schema = json!({
            "type": "object",
            "properties": { "x": { "anyOf": [
                { "type": "integer" },
                { "type": "string" },
                { "type": "object", "properties": { "a": { "type": "boolean" } }, "required": ["a"] },
            ] } },
        });
        let x = |value: Value| fit(schema.clone(), json!({ "x": value })).map(|v| v["x"].clone());
        assert_eq!(x(json!("7")), Ok(json!("7")));
        assert_eq!(x(json!(7)), Ok(json!(7)));
        assert_eq!(x(json!({ "a": "true" })), Ok(json!({ "a": true })));
        assert_eq!(x(json!({ "a": 1 })), Err(r#"Expected a boolean, got 1 at ["x"]["a"]"#.to_owned()));
        assert_eq!(
            x(json!([])),
            Err(r#"Expected an integer or a string or an object, got [] at ["x"]"#.to_owned())
        );
    }

    #[test]
    fn limits_hold_at_the_edge() {
        let schema = json!({
            "type": "object",
            "properties": {
                "n": { "type": "integer", "exclusiveMinimum": 0, "maximum": 5 },
                "s": { "type": "string", "minLength": 1, "maxLength": 2, "pattern": "^[é-ü]*$" },
                "a": { "type": "array", "minItems": 1, "maxItems": 2 },
                "e": { "type": "string", "enum": ["fast", "deep"] },
            },
        });
        let told = |value| fit(schema.clone(), value);
        assert!(told(json!({ "n": 1, "s": "éü", "a": [1, 2], "e": "deep" })).is_ok());
        assert_eq!(
            told(json!({ "n": 0 })),
            Err(r#"Expected a number of more than 0, got 0 at ["n"]"#.into())
        );
        assert_eq!(told(json!({ "n": 6 })), Err(r#"Expected a number of at most 5, got 6 at ["n"]"#.into()));
        assert_eq!(told(json!({ "s": "" })), Err(r#"Expected at least 1 characters, got 0 at ["s"]"#.into()));
        assert_eq!(told(json!({ "a": [] })), Err(r#"Expected at least 1 items, got 0 at ["a"]"#.into()));
        assert_eq!(
            told(json!({ "e": "slow" })),
            Err(r#"Expected "fast" | "deep", got "slow" at ["e"]"#.into())
        );
    }

    #[test]
    fn closed_objects_drop_what_they_do_not_know() {
        let schema = json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false });
        assert_eq!(fit(schema, json!({ "a": 1, "b": 2 })), Ok(json!({ "a": 1 })));
    }

    #[test]
    fn references_name_the_whole_schema_or_any_place_in_it() {
        let tree = json!({
            "type": "object",
            "properties": { "size": { "type": "integer" }, "child": { "$ref": "#" }, "also": { "$ref": "#/properties/size" } },
        });
        assert!(fit(tree.clone(), json!({ "child": { "child": { "size": 1, "also": 2 } } })).is_ok());
        assert!(fit(tree.clone(), json!({ "child": { "child": { "size": "much" } } })).is_err());
        assert!(fit(tree, json!({ "also": "much" })).is_err());
    }

    #[test]
    fn circles_in_schema_and_depth_in_arguments_end() {
        let schema = json!({
            "$ref": "#/$defs/T",
            "$defs": { "T": { "type": "object", "properties": { "t": { "$ref": "#/$defs/T" } } } },
        });
        let mut deep = json!({});
        for _ in 0..500 {
            deep = json!({ "t": deep });
        }
        assert!(fit(schema, deep).unwrap_err().contains("Nested too deeply"));
        let endless = json!({ "$ref": "#/$defs/T", "$defs": { "T": { "$ref": "#/$defs/T" } } });
        assert!(fit(endless, json!({})).is_err());
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-z0-9]{0,4}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("(type|properties|items|anyOf|enum|required|[a-c])", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_schema_and_any_arguments_end_without_a_panic(schema in any_json(), value in any_json()) {
            let _ = fit(schema, value);
        }

        #[test]
        fn what_was_put_right_fits_as_it_is(value in any_json()) {
            if let Ok(fitted) = fit(questions(), value) {
                prop_assert_eq!(fit(questions(), fitted.clone()), Ok(fitted));
            }
        }
    }
}

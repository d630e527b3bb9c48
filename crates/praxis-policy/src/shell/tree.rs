//! The syntax tree of a script as one list, in the order of the text.
//!
//! The walk looks at a node many times over. Here that is an index; in the parser's own tree it is a climb.

use std::sync::LazyLock;

use tree_sitter::Language;

// Built once: both are constant, so that sharing them shares no state.
static GRAMMAR: LazyLock<Language> = LazyLock::new(|| Language::new(tree_sitter_bash::LANGUAGE));
static NAMES: LazyLock<Names> = LazyLock::new(|| Names::of(&GRAMMAR));

/// The grammar of the shell.
pub(super) fn grammar() -> &'static Language {
    &GRAMMAR
}

/// What the grammar calls its nodes and their parts, by number.
struct Names {
    kinds: Vec<&'static str>,
    fields: Vec<&'static str>,
}

impl Names {
    fn of(grammar: &'static Language) -> Self {
        let kinds = (0..grammar.node_kind_count()).map(|id| u16::try_from(id).unwrap_or(u16::MAX));
        let fields = (0..=grammar.field_count()).map(|id| u16::try_from(id).unwrap_or(u16::MAX));
        Self {
            kinds: kinds.map(|id| grammar.node_kind_for_id(id).unwrap_or_default()).collect(),
            fields: fields.map(|id| grammar.field_name_for_id(id).unwrap_or_default()).collect(),
        }
    }

    fn kind(&self, id: u16) -> &'static str {
        // What could not be parsed has a number beyond the list.
        self.kinds.get(usize::from(id)).copied().unwrap_or("ERROR")
    }

    fn field(&self, id: u16) -> &'static str {
        self.fields.get(usize::from(id)).copied().unwrap_or_default()
    }
}

/// A script, taken apart.
pub(super) struct Tree {
    nodes: Vec<Entry>,
    /// Is there something in it that the grammar does not know?
    pub(super) has_error: bool,
}

struct Entry {
    kind: &'static str,
    field: &'static str,
    is_named: bool,
    start: usize,
    end: usize,
    /// The first node behind this one and all that is in it.
    after: usize,
}

impl Tree {
    /// Takes over what the parser found.
    pub(super) fn of(parsed: &tree_sitter::Tree) -> Self {
        let names = &*NAMES;
        let mut nodes: Vec<Entry> = Vec::with_capacity(parsed.root_node().descendant_count());
        let mut parents: Vec<usize> = Vec::new();
        let mut cursor = parsed.walk();
        'nodes: loop {
            let node = cursor.node();
            let field = match parents.last() {
                Some(at) if has_fields(nodes[*at].kind) => {
                    cursor.field_id().map_or("", |id| names.field(id.get()))
                }
                _ => "",
            };
            let kind = names.kind(node.kind_id());
            let is_named = node.is_named();
            let (start, end) = (node.start_byte(), node.end_byte());
            nodes.push(Entry { kind, field, is_named, start, end, after: nodes.len() + 1 });
            if cursor.goto_first_child() {
                parents.push(nodes.len() - 1);
                continue;
            }
            while !cursor.goto_next_sibling() {
                let Some(parent) = parents.pop() else { break 'nodes };
                nodes[parent].after = nodes.len();
                cursor.goto_parent();
            }
        }
        Self { nodes, has_error: parsed.root_node().has_error() }
    }

    /// The whole script.
    pub(super) fn root(&self) -> Node<'_> {
        Node { tree: self, at: 0 }
    }

    /// Every node, an outer one before those inside it.
    pub(super) fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        (0..self.nodes.len()).map(|at| Node { tree: self, at })
    }
}

/// Is it a node whose children are asked for by name? To learn a name takes the parser long.
fn has_fields(kind: &str) -> bool {
    matches!(kind, "redirected_statement" | "heredoc_redirect" | "for_statement" | "function_definition")
}

/// One node of a script.
#[derive(Clone, Copy)]
pub(super) struct Node<'t> {
    tree: &'t Tree,
    at: usize,
}

impl PartialEq for Node<'_> {
    /// Nodes are only ever compared inside one tree.
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl<'t> Node<'t> {
    fn entry(self) -> &'t Entry {
        &self.tree.nodes[self.at]
    }

    /// What the grammar calls it.
    pub(super) fn kind(self) -> &'static str {
        self.entry().kind
    }

    /// Is it more than a token?
    pub(super) fn is_named(self) -> bool {
        self.entry().is_named
    }

    pub(super) fn start(self) -> usize {
        self.entry().start
    }

    pub(super) fn end(self) -> usize {
        self.entry().end
    }

    /// Its text.
    pub(super) fn text(self, script: &str) -> &str {
        script.get(self.start()..self.end()).unwrap_or_default()
    }

    /// What stands directly in it, tokens included.
    pub(super) fn children(self) -> impl Iterator<Item = Self> + Clone {
        let end = self.entry().after;
        let first = Some(self.at + 1).filter(|at| *at < end);
        let next = move |at: &usize| Some(self.tree.nodes[*at].after).filter(|at| *at < end);
        std::iter::successors(first, next).map(move |at| Self { tree: self.tree, at })
    }

    /// Everything that stands in it, however deep.
    pub(super) fn inside(self) -> impl Iterator<Item = Self> {
        (self.at + 1..self.entry().after).map(move |at| Self { tree: self.tree, at })
    }

    /// What stands directly in it, without tokens.
    pub(super) fn named(self) -> impl Iterator<Item = Self> + Clone {
        self.children().filter(|child| child.is_named())
    }

    /// Those children that play this part in it.
    pub(super) fn fields(self, name: &'static str) -> impl Iterator<Item = Self> {
        self.children().filter(move |child| child.entry().field == name)
    }

    /// The first of those.
    pub(super) fn field(self, name: &'static str) -> Option<Self> {
        self.fields(name).next()
    }
}

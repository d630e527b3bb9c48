//! What cannot be known of a script, sorted by what it is about.

/// One thing that the text of a script does not tell.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Doubt {
    /// What is not known.
    pub about: About,
    /// The same for people.
    pub text: String,
}

/// What a doubt is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum About {
    /// Which program runs, or what it is told to do beyond its name.
    Program,
    /// Which files are lost to a program that destroys them.
    Loss,
    /// Only which files are touched. Where the kernel holds the files, this is no question.
    Files,
}

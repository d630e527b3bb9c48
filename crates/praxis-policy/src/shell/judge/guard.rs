//! Does an act hit a place that must not be lost?

use std::rc::Rc;

use super::{Bench, Hold, Paths, Protected, Real};
use crate::shell::{Analysis, Harm, Reach, path};
use crate::wildcard;

/// Names of devices that hold whole file systems.
const DEVICES: &[&str] = &[
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper", "dm-", "md", "loop", "mem", "kmem",
    "port", "block", "ram", "zram", "nbd", "sr",
];

impl Bench<'_> {
    /// The first act that a person must confirm, in words that complete "this would …".
    pub(super) fn confirm(&mut self, analysis: &Analysis, paths: &Paths) -> Option<String> {
        let by_harm = analysis.harms.iter().find_map(|harm| {
            let is_idle = harm.unless.as_ref().is_some_and(|folder| self.stands(folder));
            if is_idle { None } else { self.hit(harm) }
        });
        let by_device = || {
            let device = paths.filled.iter().map(|real| &real.path).find(|path| is_device(path))?;
            Some(format!("overwrite the device `{device}`"))
        };
        let by_content = || {
            let holds = [Hold::Content, Hold::Sealed];
            let (path, place) = self.inside(&paths.filled, &holds)?;
            Some(format!("overwrite `{path}` in {}", place.name))
        };
        let by_change = || {
            let (path, place) = self.inside(&paths.changed, &[Hold::Sealed])?;
            Some(format!("change `{path}` in {}", place.name))
        };
        // A repository inside the project, or one that is only pretended, brings programs of its own.
        let by_repository = || {
            let is_git = |path: &&String| path.split('/').any(|part| part == ".git");
            let path = paths.filled.iter().map(|real| &real.path).find(is_git)?;
            Some(format!("write `{path}`, where git looks for what to run"))
        };
        by_harm.or_else(by_device).or_else(by_content).or_else(by_change).or_else(by_repository)
    }

    /// The first path that is a place with one of these holds, or is in it.
    fn inside<'p>(&self, paths: &'p [Rc<Real>], holds: &[Hold]) -> Option<(&'p str, &Protected)> {
        paths.iter().map(|real| real.path.as_str()).find_map(|path| {
            let held = |place: &&Protected| holds.contains(&place.hold) && self.holds(place, path);
            Some((path, self.ground.protected.iter().find(held)?))
        })
    }

    /// Is the path in the place, and not in a project that lies there?
    fn holds(&self, place: &Protected, path: &str) -> bool {
        let excepted = |root: &String| {
            *root != place.path && path::is_inside(root, &place.path) && path::is_inside(path, root)
        };
        path::is_inside(path, &place.path) && !self.ground.roots.iter().any(excepted)
    }

    fn hit(&mut self, harm: &Harm) -> Option<String> {
        let act = harm.act;
        if harm.reach == Reach::Unsure {
            return Some(format!("{act} `{}`, which may be a place that must not be lost", harm.path));
        }
        let real = self.real(&harm.path);
        let mut aim: Vec<String> = parts(&real.path).map(str::to_owned).collect();
        let fixed = aim.len();
        aim.extend(harm.glob.iter().flat_map(|glob| parts(glob)).map(wild));
        let aim = Aim { parts: aim, fixed, is_folder: real.is_folder || harm.glob.is_some(), harm };
        let ground = self.ground;
        // The place nearest to the root is the worst loss.
        let mut hits: Vec<&Protected> = ground.protected.iter().filter(|place| aim.takes(place)).collect();
        hits.sort_by_key(|place| parts(&place.path).count());
        if let Some(place) = hits.first() {
            return Some(aim.told(place));
        }
        let place = ground.protected.iter().find(|place| self.holds(place, &real.path) && aim.cuts(place))?;
        Some(format!("{act} `{}`, a part of {}", aim.text(), place.name))
    }
}

/// What a harm is aimed at, component by component.
struct Aim<'h> {
    parts: Vec<String>,
    /// So many components are literal.
    fixed: usize,
    is_folder: bool,
    harm: &'h Harm,
}

impl Aim<'_> {
    fn text(&self) -> String {
        format!("/{}", self.parts.join("/"))
    }

    /// Do the first `count` components fit?
    fn fits(&self, place: &[&str], count: usize) -> bool {
        (0..count).all(|at| match (self.parts.get(at), place.get(at)) {
            (Some(aimed), Some(name)) if at < self.fixed => aimed == name,
            (Some(aimed), Some(name)) => fits(name, aimed),
            _ => false,
        })
    }

    /// Is the place gone with it: it is the place, something around it, or everything in it?
    fn takes(&self, place: &Protected) -> bool {
        let names: Vec<&str> = parts(&place.path).collect();
        if self.parts.len() <= names.len() {
            return self.fits(&names, self.parts.len());
        }
        let everything = |part: &String| part.contains('*') && part.chars().all(|c| "*?.".contains(c));
        let rest = self.parts.get(names.len().max(self.fixed)..).unwrap_or_default();
        self.harm.reach != Reach::Itself
            && names.len() >= self.fixed
            && self.fits(&names, names.len())
            && rest.iter().all(everything)
    }

    /// Is it a part of the place that counts by itself?
    fn cuts(&self, place: &Protected) -> bool {
        match (place.hold, self.harm.reach) {
            (Hold::Whole, _) | (Hold::Content, Reach::Rights) => false,
            (Hold::Content, _) => self.is_folder,
            (Hold::Sealed, _) => true,
        }
    }

    fn told(&self, place: &Protected) -> String {
        let Harm { act, .. } = self.harm;
        let count = parts(&place.path).count();
        match self.parts.len() {
            len if len == count => format!("{act} {} (`{}`)", place.name, place.path),
            len if len > count => format!("{act} everything in {} (`{}`)", place.name, place.path),
            _ => format!("{act} `{}`, which holds {}", self.text(), place.name),
        }
    }
}

/// The components of a path.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty() && *part != ".")
}

/// Does a pattern match a name? A hidden one is matched only by a pattern that begins with a dot.
pub(super) fn fits(name: &str, pattern: &str) -> bool {
    (!name.starts_with('.') || pattern.starts_with('.')) && wildcard::matches(name, pattern)
}

/// Does a component match by a pattern?
pub(super) fn is_pattern(part: &str) -> bool {
    part.contains(['*', '?', '['])
}

/// A component of a shell pattern for the wildcards of rules: a set of signs is any sign.
pub(super) fn wild(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    let mut rest = part;
    while let Some(start) = rest.find('[') {
        out.push_str(&rest[..start]);
        // Classes have brackets of their own: whatever they mean, they are in there.
        if ["[:", "[.", "[="].iter().any(|class| rest[start + 1..].contains(class)) {
            out.push('*');
            rest = rest.rfind(']').map_or("", |end| &rest[end + 1..]);
            continue;
        }
        // A `]` right after the opening, or after its negation, is a member.
        let skip = start
            + 1
            + rest[start + 1..].len().min(1 + usize::from(rest[start + 1..].starts_with(['!', '^'])));
        let end = rest.get(skip..).and_then(|tail| tail.find(']'));
        let Some(end) = end else {
            out.push('*');
            return out;
        };
        out.push('?');
        rest = &rest[skip + end + 1..];
    }
    out.push_str(rest);
    out
}

/// Is it the name of a device that holds a file system?
fn is_device(path: &str) -> bool {
    path.strip_prefix("/dev/").is_some_and(|name| DEVICES.iter().any(|device| name.starts_with(device)))
}

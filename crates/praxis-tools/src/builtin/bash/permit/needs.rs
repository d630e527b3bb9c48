//! What an act that leaves the machine needs of the user's own, once it is allowed.

use std::path::PathBuf;

use praxis_os::sandbox::Place;
use praxis_policy::shell::Need;

use crate::shell::{Extra, Shell};

/// Places below the home folder, by what needs them.
const PLACES: &[(Need, &[&str])] = &[
    (Need::SshKeys, &[".ssh"]),
    (
        Need::GitCredentials,
        &[".git-credentials", ".config/git/credentials", ".netrc", ".config/gh", ".gnupg"],
    ),
    (Need::ForgeCredentials, &[".config/gh", ".config/glab-cli", ".config/hub", ".netrc"]),
    (
        Need::PackageCredentials,
        &[
            ".npmrc",
            ".yarnrc",
            ".yarnrc.yml",
            ".bunfig.toml",
            ".cargo/credentials",
            ".cargo/credentials.toml",
            ".pypirc",
            ".config/pypoetry",
            ".gem/credentials",
            ".local/share/gem/credentials",
            ".m2",
            ".gradle/gradle.properties",
            ".nuget/NuGet",
            ".composer/auth.json",
            ".hex",
            ".netrc",
        ],
    ),
    (Need::ContainerCredentials, &[".docker", ".config/containers"]),
    (
        Need::CloudCredentials,
        &[
            ".aws",
            ".azure",
            ".config/gcloud",
            ".config/doctl",
            ".fly",
            ".config/netlify",
            ".vercel",
            ".config/.wrangler",
            ".terraform.d",
            ".pulumi",
            ".config/configstore",
            ".oci",
        ],
    ),
    (Need::ClusterCredentials, &[".kube", ".config/helm", ".minikube"]),
    (Need::Mail, &[".msmtprc", ".config/msmtp", ".mailrc", ".muttrc", ".config/mutt", ".netrc"]),
];

/// Variables that name a socket, by what needs it.
const SOCKETS: [(Need, &str); 2] =
    [(Need::SshKeys, "SSH_AUTH_SOCK"), (Need::ContainerCredentials, "DOCKER_HOST")];
/// Where the engine of containers listens.
const ENGINE: &str = "/var/run/docker.sock";

/// Adds what is needed to what a command gets.
pub(super) fn bring(needs: &[Need], shell: &Shell, extra: &mut Extra) {
    let parts = shell.parts();
    for (need, places) in PLACES.iter().filter(|(need, _)| needs.contains(need)) {
        extra.places.extend(places.iter().map(|place| Place::read(parts.home.join(place))));
        extra.sockets |= matches!(need, Need::SshKeys | Need::ContainerCredentials);
    }
    for (_, variable) in SOCKETS.iter().filter(|(need, _)| needs.contains(need)) {
        let socket = parts.environment.get(variable).map(|value| value.trim_start_matches("unix://"));
        extra.places.extend(socket.filter(|path| path.starts_with('/')).map(PathBuf::from).map(Place::read));
    }
    if needs.contains(&Need::ContainerCredentials) {
        extra.places.push(Place::read(ENGINE));
    }
}

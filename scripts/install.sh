#!/bin/sh
# Installs Piton for one user: downloads the archive for this system, refuses it where its
# SHA-256 sum is not that of the release, and unpacks it below ~/.local. It needs no root
# and changes no settings. docs/install.md says what it writes.
set -eu

usage='usage: install.sh [--from URL|DIR] [--prefix DIR] [--uninstall]
  --from       where the archives and SHA256SUMS lie: an https:// URL or a folder
               (default: the newest release)
  --prefix     where bin and share go (default: ~/.local)
  --uninstall  remove the files that this script has installed; what Piton has saved stays'

die() {
  echo "install.sh: $1" >&2
  exit "${2:-1}"
}

# get NAME: a file of the release, into the current folder.
get() {
  case $from in
  https://*)
    if command -v curl >/dev/null; then curl -fsSL --proto '=https' -o "$1" "$from/$1"
    elif command -v wget >/dev/null; then wget -q -O "$1" "$from/$1"
    else die 'curl or wget is needed; install one, or give a folder: --from DIR'
    fi ;;
  *://*) die "--from $from: give an https:// URL or a folder" 2 ;;
  *) cp -- "$from/$1" "$1" ;;
  esac || die "cannot get $from/$1"
}

sum() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

# put FILE TO MODE: at once, so that a program that runs is not disturbed.
put() {
  mkdir -p "${2%/*}"
  cp "$1" "$2.new"
  chmod "$3" "$2.new"
  mv -f "$2.new" "$2"
}

main() {
  from=https://github.com/piton-project/piton/releases/latest/download prefix= remove=
  while [ $# -gt 0 ]; do
    case $1 in
    --from | --prefix)
      [ -n "${2:-}" ] || die "$1 needs a value
$usage" 2
      case $1 in --from) from=${2#file://} ;; *) prefix=$2 ;; esac
      shift ;;
    --uninstall) remove=1 ;;
    -h | --help) echo "$usage"; exit ;;
    *) die "what is $1?
$usage" 2 ;;
    esac
    shift
  done
  prefix=${prefix:-${HOME:?is not set; give --prefix DIR}/.local}
  for folder in "$from" "$prefix"; do
    case $folder in /* | *://*) ;; *) die "$folder: give a path that begins with /" 2 ;; esac
  done
  bash=$prefix/share/bash-completion/completions/piton
  zsh=$prefix/share/zsh/site-functions/_piton
  fish=$prefix/share/fish/vendor_completions.d/piton.fish
  man=$prefix/share/man/man1

  if [ -n "$remove" ]; then
    rm -f "$prefix/bin/piton" "$prefix/bin/piton-hook" "$bash" "$zsh" "$fish" "$man/piton.1" "$man"/piton-*.1
    echo "Piton is removed from $prefix. What it has saved is left in ~/.local/state/piton."
    return
  fi

  case $(uname -s) in Linux) os=linux ;; Darwin) os=darwin ;; *) die "there is no archive for $(uname -s)" ;; esac
  case $(uname -m) in x86_64 | amd64) arch=amd64 ;; aarch64 | arm64) arch=arm64 ;; *) die "there is no archive for $(uname -m)" ;; esac
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cd "$work"
  get SHA256SUMS
  line=$(grep -E "^[0-9a-f]{64}  piton-[0-9A-Za-z.+-]+-$os-$arch\.tar\.xz\$" SHA256SUMS | grep -v '  piton-temporal-' || true)
  [ "$(printf '%s\n' "$line" | grep -c .)" = 1 ] || die "SHA256SUMS of $from does not name one archive for $os on $arch"
  want=${line%% *} archive=${line#*  }
  get "$archive"
  got=$(sum "$archive")
  [ "$got" = "$want" ] || die "$archive is not the one of the release: its SHA-256 sum is $got, want $want. Nothing was installed."
  tar -xJf "$archive" || die 'tar cannot unpack the archive; install xz (Debian: xz-utils), and run this again'
  cd "${archive%.tar.xz}"
  put piton-hook "$prefix/bin/piton-hook" 755
  put piton "$prefix/bin/piton" 755
  for page in man1/*.1; do put "$page" "$man/${page#man1/}" 644; done
  put completions/piton.bash "$bash" 644
  put completions/_piton "$zsh" 644
  put completions/piton.fish "$fish" 644

  echo "$("$prefix/bin/piton" version) is installed in $prefix/bin."
  case :$PATH: in
  *:"$prefix/bin":*) ;;
  *) echo "That folder is not in PATH. Add this line to your shell's settings (~/.profile, ~/.zshrc):
  export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
  echo "Next: 'piton init' sets up the clients that are there; 'piton init --dry-run' shows what it would change."
}

main "$@"

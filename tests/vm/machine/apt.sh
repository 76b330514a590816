# SPDX-License-Identifier: GPL-2.0-only
# For scripts that download packages without installing them: separate package lists for one architecture, from the
# mirrors of this machine, so that its configuration does not change.
#
#	apt_open DIRECTORY ARCHITECTURE	makes the lists of the release of this machine and of bookworm
#	apt_own COMMAND...		runs apt-get or apt-cache with these lists

apt_mk=$(cd "$(dirname "$0")/../../../mk" && pwd)

# apt_suite BASE SUITE: adds a suite from the mirror that has the suite BASE of this machine
apt_suite() {
	sh "$apt_mk/apt-source.sh" "$1" "$2" >"$apt_dir/sources.list.d/$2.sources" 2>/dev/null ||
		rm "$apt_dir/sources.list.d/$2.sources"
}

apt_open() {
	apt_dir=$1
	apt_arch=$2
	apt_host=$(. /etc/os-release && echo "$VERSION_CODENAME")
	mkdir -p "$apt_dir/sources.list.d" "$apt_dir/lists/partial" "$apt_dir/cache/archives/partial"
	for apt_release in bookworm "$apt_host"; do
		apt_suite "$apt_host" "$apt_release"
		apt_suite "$apt_host-security" "$apt_release-security"
		apt_suite "$apt_host" "$apt_release-backports"
	done
	: >"$apt_dir/status"
	apt_own apt-get update
}

apt_own() {
	apt_command=$1
	shift
	"$apt_command" -q -o APT::Sandbox::User=root \
		-o "APT::Architecture=$apt_arch" -o "APT::Architectures=$apt_arch" \
		-o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$apt_dir/sources.list.d" \
		-o "Dir::State::Lists=$apt_dir/lists" -o "Dir::State::status=$apt_dir/status" \
		-o "Dir::Cache=$apt_dir/cache" "$@"
}

# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# The build flags of every board that Package.swift cannot hold. Sourced, not run.
# shellcheck disable=SC2034  # used by the scripts that source this file
# SwiftPM keeps the answer of Package.swift for each environment, so the version must be in it.
VITRINE_VERSION=$(sed -n '1s/.*(\(.*\)).*/\1/p' "$repository/board/debian/changelog")
export VITRINE_VERSION
build_flags=(-c release --explicit-target-dependency-import-check error)
# The compiler makes the same program twice if it writes neither its hashes for incremental builds nor the ids of the
# modules of C in its cache.
product_flags=("${build_flags[@]}" --product vitrine --static-swift-stdlib
    -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
    -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs)

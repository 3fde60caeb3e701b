# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# How everything is built, for every board: what Package.swift cannot hold. Sourced, not run.
# shellcheck disable=SC2034  # whoever sources this uses it
build_flags=(-c release --explicit-target-dependency-import-check error)
product_flags=("${build_flags[@]}" --product vitrine --static-swift-stdlib)

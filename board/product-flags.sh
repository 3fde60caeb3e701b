# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# How the product is built for every board: what Package.swift cannot hold. Sourced, not run.
# Modules see through each other: a frame crosses six of them, and that makes its way 5 to 10 % cheaper.
# shellcheck disable=SC2034  # whoever sources this uses it
product_flags=(-c release --product vitrine --static-swift-stdlib
    --explicit-target-dependency-import-check error -Xswiftc -cross-module-optimization)

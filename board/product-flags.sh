# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# How the product is built for every board: what Package.swift cannot hold. Sourced, not run.
# shellcheck disable=SC2034  # whoever sources this uses it
product_flags=(-c release --product vitrine --static-swift-stdlib
    --explicit-target-dependency-import-check error)

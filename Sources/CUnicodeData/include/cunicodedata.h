/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replaces the data of the ICU that a static Foundation links: 34 of 73 MB of the program, for
 * languages, calendars and collations that Vitrine does not use. GRDB imports all of Foundation;
 * Vitrine itself uses FoundationEssentials, which needs none of this. */

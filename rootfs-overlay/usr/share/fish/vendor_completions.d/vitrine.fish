# SPDX-License-Identifier: GPL-3.0-or-later
# Loaded by fish at the first tab. The program writes it, so that it fits the program.
vitrine --generate-completion-script fish | source

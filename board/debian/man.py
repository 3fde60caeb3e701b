#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""man.py PROGRAM... FOLDER: writes the manual pages of the program into the folder.

The words are the program's own: `PROGRAM... --experimental-dump-help` and `PROGRAM... config docs --json`. PROGRAM may be
several words, such as an emulator and its options. SOURCE_DATE_EPOCH is the pages' date.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import time


def quoted(text):
    """Returns text without meaning to roff."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("`", "")
    return re.sub(r"^\.", r"\\&.", text, flags=re.M)


def page(name, section, title, version, body):
    date = time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    return (f'.TH {quoted(name.upper())} {section} "{date}" "vitrine {version}" "Vitrine"\n'
            f".SH NAME\n{quoted(name)} \\- {quoted(title)}\n{body}")


def paragraphs(text):
    """Returns help's text: indented lines are commands, others are prose."""
    out, is_code = [], False
    for line in text.split("\n"):
        code = line.startswith("  ")
        if code != is_code:
            out.append(".EX" if code else ".EE")
            is_code = code
        out.append(".PP" if not line.strip() and not code else quoted(line.rstrip()))
    return "\n".join(out + ([".EE"] if is_code else [])) + "\n"


def words(argument):
    """Returns an argument as a person types it."""
    value = f"\\fI{quoted(argument['valueName'])}\\fR"
    if argument["kind"] == "positional":
        return value
    names = [("--" if one["kind"] == "long" else "-") + one["name"] for one in argument["names"]]
    shown = ", ".join(f"\\fB{quoted(name)}\\fR" for name in names)
    return shown if argument["kind"] == "flag" else f"{shown} {value}"


def synopsis(path, command):
    parts = [f"\\fB{quoted(path)}\\fR"]
    for argument in shown(command):
        text = words(argument) + (r" \&..." if argument["isRepeating"] else "")
        parts.append(f"[{text}]" if argument["isOptional"] else text)
    if subcommands(command):
        parts.append("\\fIVERB\\fR")
    return " ".join(parts) + "\n"


def shown(command):
    return [one for one in command.get("arguments", []) if one.get("shouldDisplay", True)]


def subcommands(command):
    return [one for one in command.get("subcommands", []) if one["commandName"] != "help" and one.get("shouldDisplay", True)]


def options(command):
    return "".join(f".TP\n{words(one)}\n{quoted(one.get('abstract', ''))}\n" for one in shown(command))


def verb_page(path, command, version):
    body = f".SH SYNOPSIS\n{synopsis(path, command)}"
    body += f".SH DESCRIPTION\n{quoted(command.get('abstract', ''))}\n.PP\n{paragraphs(command.get('discussion', ''))}"
    if shown(command):
        body += f".SH OPTIONS\n{options(command)}"
    if subcommands(command):
        body += ".SH VERBS\n"
    for one in subcommands(command):
        body += f".SS {quoted(path + ' ' + one['commandName'])}\n{synopsis(path + ' ' + one['commandName'], one)}"
        body += f".PP\n{quoted(one.get('abstract', ''))}\n.PP\n{paragraphs(one.get('discussion', ''))}{options(one)}"
    body += ".SH SEE ALSO\n.BR vitrine (1),\n.BR vitrine.toml (5)\n"
    return page(path.replace(" ", "-"), 1, command.get("abstract", "").rstrip("."), version, body)


def main_page(command, version):
    body = f".SH SYNOPSIS\n{synopsis('vitrine', command)}.SH DESCRIPTION\n{paragraphs(command.get('discussion', ''))}"
    body += ".SH VERBS\n"
    for one in subcommands(command):
        body += f".TP\n\\fBvitrine\\-{quoted(one['commandName'])}\\fR(1)\n{quoted(one.get('abstract', ''))}\n"
    body += (".SH FILES\n.TP\n.I /etc/vitrine/vitrine.toml\nThe configuration; see\n.BR vitrine.toml (5).\n"
             ".TP\n.I /var/lib/vitrine/library\nPhotos and clips.\n"
             ".TP\n.I /usr/share/doc/vitrine/README.md\nThe guide, the reference and the design.\n")
    return page("vitrine", 1, command["abstract"].rstrip("."), version, body)


def configuration_page(keys, version):
    body = (".SH DESCRIPTION\nThe configuration is one TOML file,\n.IR /etc/vitrine/vitrine.toml .\n"
            "Every key may be left out. Check a change with\n.B vitrine config check\nand apply it with\n"
            ".BR \"systemctl reload vitrine\" .\n.SH KEYS\n")
    table = None
    for key in keys:
        own, name = key["key"].rsplit(".", 1) if not key["key"].startswith("actions.") else key["key"].split(".", 1)
        if own != table:
            body += f".SS {quoted(own)}\n"
            table = own
        body += f".TP\n\\fB{quoted(name)}\\fR = {quoted(key['default'])}\n{quoted(key['help'])}\n"
        body += f"Allowed: {quoted(key['allowed'])}.\n"
    return page("vitrine.toml", 5, "configuration of Vitrine", version, body + ".SH SEE ALSO\n.BR vitrine\\-config (1)\n")


def main():
    *program, folder = sys.argv[1:]
    if not program:
        sys.exit(__doc__)

    def output(*arguments):
        return subprocess.run([*program, *arguments], check=True, capture_output=True, text=True).stdout

    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    command = json.loads(output("--experimental-dump-help"))["command"]
    version = output("--version").split()[-1]
    (folder / "vitrine.1").write_text(main_page(command, version))
    for one in subcommands(command):
        name = f"vitrine {one['commandName']}"
        (folder / f"{name.replace(' ', '-')}.1").write_text(verb_page(name, one, version))
    keys = [json.loads(line) for line in output("config", "docs", "--json").splitlines()]
    (folder / "vitrine.toml.5").write_text(configuration_page(keys, version))


if __name__ == "__main__":
    main()

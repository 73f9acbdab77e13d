// SPDX-License-Identifier: Apache-2.0

import LatchCommand

/// `latch manual`: prints the manual page.
enum ManualSubcommand {
    static let subcommand = Subcommand(
        name: "manual", summary: "prints the manual page",
        discussion: "The page is in the macros of man, with all subcommands. Debian's package contains it.",
        examples: [
            "latch manual > /usr/local/share/man/man1/latch.1": "keep it where man looks"
        ],
        body: { _, environment in
            environment.output.write(ManualPage(Program.command).text)
            return .success
        })
}

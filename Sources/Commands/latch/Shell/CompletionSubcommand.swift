// SPDX-License-Identifier: Apache-2.0

import LatchCommand

/// `latch completion`: prints the completions for a shell.
enum CompletionSubcommand {
    static let subcommand = Subcommand(
        name: "completion", summary: "prints the completions for bash, zsh or fish",
        discussion: """
            For one session: source <(latch completion bash). To keep them, write them where the shell looks:
            ~/.local/share/bash-completion/completions/latch, a folder of zsh's fpath (as _latch), or
            ~/.config/fish/completions/latch.fish. Debian's package contains them.
            """,
        arguments: [.init(name: "SHELL", summary: "bash, zsh or fish")],
        examples: [
            "latch completion bash": "the completions of bash",
            "latch completion fish > ~/.config/fish/completions/latch.fish": "keep those of fish",
        ],
        body: { invocation, environment in
            let word = invocation.argument(0) ?? ""
            guard let shell = CompletionScript.Shell(rawValue: word) else {
                throw CommandError.usage("There are no completions for '\(word)'.", hint: "Name bash, zsh or fish.")
            }
            environment.output.write(CompletionScript(Program.root).text(for: shell))
            return .success
        })
}

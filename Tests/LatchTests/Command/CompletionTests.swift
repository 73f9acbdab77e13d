// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct CompletionTests {
    /// Returns what a shell prints for a script.
    static func run(_ shell: String, _ script: String) async throws -> [String] {
        try await withTemporaryFolder { folder in
            let process = try ChildProcess.start(
                "/usr/bin/env", [shell, "-c", script], errors: .file(folder + "/error"))
            var lines: [String] = []
            while let line = await process.line() { lines.append(line) }
            _ = await process.end()
            return lines + BuiltProgram.lines(of: folder + "/error")
        }
    }

    /// The words before the cursor, and some of what is offered and what is not.
    static let cases: [(words: [String], offered: [String], not: [String])] = [
        (["latch", ""], ["serve", "login", "admin", "completion"], ["list", "FILE"]),
        (["latch", "log"], ["login", "logout"], ["serve"]),
        (["latch", "--ver"], ["--version"], ["--help"]),
        (["latch", "serve", "--li"], ["--listen"], ["--version"]),
        (["latch", "admin", "keys", ""], ["rotate"], ["serve"]),
        (["latch", "serve", "--listen", "127.0.0.1:0", "--sto"], ["--store"], ["--listen"]),
        (["latch", "serve", "--listen", ""], [], ["--store", "serve"]),
        (["latch", "nothing", "--print"], [], ["--print-config"]),
    ]

    @Test(arguments: cases.indices) func `The completions of bash offer the parser's words`(index: Int) async throws {
        let (words, offered, not) = Self.cases[index]
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        let script =
            CompletionScript(Program.root).text(for: .bash)
            + "COMP_WORDS=(\(quoted)) COMP_CWORD=\(words.count - 1); _latch; printf '%s\\n' \"${COMPREPLY[@]}\""
        let lines = try await Self.run("bash", script)
        for word in offered { #expect(lines.contains(word), "\(words): \(lines)") }
        for word in not { #expect(!lines.contains(word), "\(words): \(lines)") }
    }

    @Test func `The completions of bash complete files, also behind an equals sign`() async throws {
        try await withTemporaryFolder { folder in
            #expect(FileManager.default.createFile(atPath: folder + "/latch of tests.toml", contents: nil))
            for words in [
                "latch serve --config '\(folder)/la'", "latch serve --config = '\(folder)/la'",
            ] {
                let script =
                    CompletionScript(Program.root).text(for: .bash)
                    + "COMP_WORDS=(\(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _latch; echo \"${COMPREPLY[@]}\""
                let lines = try await Self.run("bash", script)
                expectEqual(lines, [folder + "/latch of tests.toml"])
            }
        }
    }

    static func isInstalled(_ shell: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\(shell)")
    }

    @Test(
        .enabled(if: isInstalled("fish"), "fish is not installed; Scripts/setup --interop installs it"),
        arguments: cases.indices)
    func `The completions of fish offer the parser's words`(index: Int) async throws {
        let (words, offered, not) = Self.cases[index]
        let script =
            CompletionScript(Program.root).text(for: .fish)
            + "complete -C '\(words.joined(separator: " "))' | string replace -r '\\t.*' ''"
        let lines = try await Self.run("fish", script)
        for word in offered { #expect(lines.contains(word), "\(words): \(lines)") }
        for word in not { #expect(!lines.contains(word), "\(words): \(lines)") }
    }

    @Test(
        .enabled(if: isInstalled("zsh"), "zsh is not installed; Scripts/setup --interop installs it"),
        arguments: cases.indices)
    func `The completions of zsh offer the parser's words`(index: Int) async throws {
        let (words, offered, not) = Self.cases[index]
        // In place of the functions that show completions, those that print what they are given.
        let script = """
            compdef() { }
            _describe() { print -l -- ${names%%:*} }
            _arguments() { local a; for a in "$@"; do case $a in
                *--*) a=--${a#*--}; print -r -- ${a%%[^-a-z0-9]*} ;; esac; done }
            """ + "\n" + CompletionScript(Program.root).text(for: .zsh)
            + "words=(\(words.map { "'\($0)'" }.joined(separator: " "))); CURRENT=\(words.count); _latch"
        let lines = try await Self.run("zsh", script)
        let prefix = words[words.count - 1]
        // The real functions choose by what was typed, and complete values.
        guard words.dropLast().last != "--listen", words.count > 2 || !prefix.hasPrefix("-") else { return }
        for word in offered { #expect(lines.contains(word), "\(words): \(lines)") }
        for word in not where word.hasPrefix(prefix) { #expect(!lines.contains(word), "\(words): \(lines)") }
    }

    @Test func `The completions are refused for another shell`() async throws {
        let outcome = try await BuiltProgram.run("completion", "tcsh")
        expectEqual(outcome.ending, .exited(2))
        #expect(outcome.error.joined().contains("Name bash, zsh or fish."))
    }
}

@Suite struct ManualPageTests {
    @Test func `The manual page names every subcommand and option, as text that roff does not read`() {
        let text = ManualPage(Program.command).text
        for path in HelpTests.paths.dropFirst() {
            let name = path.map(\.name).joined(separator: " ").replacing("-", with: "\\-")
            #expect(text.contains(".SS \"\(name)\""), "\(name)")
            for option in path.last?.options ?? [] {
                #expect(text.contains("\\-\\-" + option.name.replacing("-", with: "\\-")))
            }
        }
        let requests: Set = [".TH", ".nh", ".ad", ".SH", ".SS", ".PP", ".TP", ".RS", ".RE", ".nf", ".fi"]
        for line in text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(requests.contains(String(line.prefix { $0 != " " })), "\(line)")
        }
    }
}

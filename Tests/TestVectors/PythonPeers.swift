// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LatchCore
import LatchProcess

/// Second implementations of tokens and signatures in Python, which Scripts/fetch-peers installs.
public enum PythonPeers {
    /// What a skipped suite says.
    public static let hint =
        "Scripts/fetch-peers could not install joserfc from PyPI: no network, no python3, or no pip"

    /// Whether they are there, installed now where they were not.
    public static func install() async -> Bool { await folder.value != nil }

    /// Runs a program that finds them, with a file that holds `input` as its only argument, and gives what it prints.
    public static func run(_ program: String, input: JSONValue) async throws -> JSONValue {
        guard let folder = await folder.value else { throw CocoaError(.fileNoSuchFile) }
        let start = "import sys\nsys.path.insert(0, \(String(reflecting: folder)))\n"
        let output = try await PythonCommand.run(
            start + program, input: String(decoding: input.serialized(), as: UTF8.self))
        return try JSONValue(parsing: output)
    }

    /// Where they are; nil where they could not be installed.
    private static let folder = Task<String?, Never> {
        // Tests/TestVectors/PythonPeers.swift lies two levels below the repository's root.
        let script = URL(filePath: #filePath).appending(path: "../../../Scripts/fetch-peers").standardized
        guard PythonCommand.isPresent else { return nil }
        do {
            let (ending, output) = try await ChildProcess.run("/usr/bin/env", ["bash", script.path])
            guard ending == .exited(0) else { return nil }
            return String(decoding: output, as: UTF8.self).split(separator: "\n").last.map(String.init)
        } catch {
            return nil
        }
    }
}

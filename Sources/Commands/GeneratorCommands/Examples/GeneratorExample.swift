// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchGenerator

/// .proto files to begin with.
struct GeneratorExample: Sendable {
    /// What it is called by.
    let name: String
    /// What it shows.
    let summary: String
    /// Which subject it belongs to: basic, authentication or advanced.
    let category: String
    let files: [GeneratedFile]

    /// All of them, the simplest first.
    static let all = [basic, userService, taskManager, comprehensive, options]

    /// For a script.
    var json: JSONValue {
        [
            "name": .string(name), "summary": .string(summary), "category": .string(category),
            "files": .array(files.map { ["path": .string($0.path), "text": .string($0.text)] }),
        ]
    }

    /// The files that declare options, as protoc wants to find them.
    private static let options = GeneratorExample(
        name: "options", summary: "the files that declare the options of clients, for protoc's include path",
        category: "advanced",
        files: OptionFiles.names.map { GeneratedFile(path: $0, text: OptionFiles.text(of: $0) ?? "") })
}

// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchGenerator

/// An example of .proto files.
struct GeneratorExample: Sendable {
    /// The name of the example.
    let name: String
    /// The subject of the example.
    let summary: String
    /// The category: basic, authentication or advanced.
    let category: String
    let files: [GeneratedFile]

    /// All examples, the simplest first.
    static let all = [
        GeneratorExample(
            "basic", "one service with two methods, and no options", category: "basic",
            "notes/v1/note_service.proto", PackageResources.note_service_proto),
        GeneratorExample(
            "user-service", "accounts and sessions, with rules for requests", category: "authentication",
            "userservice/v1/user_service.proto", PackageResources.user_service_proto),
        GeneratorExample(
            "task-manager", "tasks with all update strategies and offline use", category: "advanced",
            "taskmanager/v1/task_service.proto", PackageResources.task_service_proto),
        GeneratorExample(
            "comprehensive", "streams, oneofs, maps, presence, nested types and retired numbers", category: "advanced",
            "shapes/v1/shape_service.proto", PackageResources.shape_service_proto),
        GeneratorExample(
            name: "options", summary: "the files that declare the options of clients, for protoc's include path",
            category: "advanced",
            files: OptionFiles.names.map { GeneratedFile(path: $0, bytes: OptionFiles.bytes(of: $0) ?? []) }),
    ]

    /// The example as JSON.
    var json: JSONValue {
        [
            "name": .string(name), "summary": .string(summary), "category": .string(category),
            "files": .array(files.map { ["path": .string($0.path), "text": .string($0.text)] }),
        ]
    }
}

extension GeneratorExample {
    /// Creates an example with one file.
    private init(_ name: String, _ summary: String, category: String, _ path: String, _ bytes: [UInt8]) {
        self.init(
            name: name, summary: summary, category: category, files: [GeneratedFile(path: path, bytes: bytes)])
    }
}

extension GeneratedFile {
    fileprivate init(path: String, bytes: [UInt8]) {
        self.init(path: path, text: String(decoding: bytes, as: UTF8.self))
    }
}

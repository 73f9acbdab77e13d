// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchProcess
import LatchProtoCompiler
import TestVectors

/// Google's protobuf for Python: a second reader and writer of JSON, which Scripts/fetch-peers installs.
enum PythonProtobuf {
    /// The comment of a skipped suite.
    static let hint =
        "Scripts/fetch-peers rules could not install protobuf from PyPI: no network, no python3, or no pip"

    /// Whether it is there, installed now where it was not.
    static func install() async -> Bool { await folder.value != nil }

    /// Reads each JSON text as a TestAllTypesProto3.
    ///
    /// - Returns: For each the message's bytes, and what Python writes of it in JSON; nil where Python refuses the text.
    static func read(_ texts: [String]) async throws -> [(bytes: [UInt8], json: String)?] {
        guard let folder = await folder.value else { throw CocoaError(.fileNoSuchFile) }
        let input: JSONValue = [
            "files": .string(hex(try descriptors())), "texts": .array(texts.map { .string($0) }),
        ]
        let start = "import sys\nsys.path.insert(0, \(String(reflecting: folder)))\n"
        let output = try await PythonCommand.run(
            start + program, input: String(decoding: input.serialized(), as: UTF8.self))
        return try (JSONValue(parsing: output).arrayValue ?? []).map { answer in
            guard let json = answer["json"]?.stringValue else { return nil }
            return (answer.hex("bytes"), json)
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// The runner's messages as our compiler describes them, without the well-known files, which Python has.
    private static func descriptors() throws -> [UInt8] {
        let protos = URL(filePath: #filePath).appending(path: "../../../ConformanceDriver/Protos").standardized
        let compilation = Compiler { name in
            FileManager.default.contents(atPath: protos.appending(path: name).path).map { Array($0) }
        }.compile(["all_types_proto3.proto"])
        guard compilation.isComplete else { throw CocoaError(.fileReadCorruptFile) }
        return FileDescriptor.serializedSet(compilation.filesToGenerate)
    }

    private static let folder = Task<String?, Never> {
        let script = URL(filePath: #filePath).appending(path: "../../../../Scripts/fetch-peers").standardized
        guard PythonCommand.isPresent else { return nil }
        do {
            let (ending, output) = try await ChildProcess.run("/usr/bin/env", ["bash", script.path, "rules"])
            guard ending == .exited(0) else { return nil }
            return String(decoding: output, as: UTF8.self).split(separator: "\n").last.map(String.init)
        } catch {
            return nil
        }
    }

    private static let program = """
        import json
        from google.protobuf import (any_pb2, descriptor_pb2, descriptor_pool, duration_pb2, empty_pb2, field_mask_pb2,
                                     json_format, message_factory, struct_pb2, timestamp_pb2, wrappers_pb2)
        given = json.load(open(sys.argv[1]))
        files = descriptor_pb2.FileDescriptorSet.FromString(bytes.fromhex(given["files"]))
        pool = descriptor_pool.Default()
        for file in files.file:
            pool.AddSerializedFile(file.SerializeToString())
        name = "protobuf_test_messages.proto3.TestAllTypesProto3"
        message_class = message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
        answers = []
        for text in given["texts"]:
            try:
                message = json_format.Parse(text, message_class())
                answers.append({"bytes": message.SerializeToString(deterministic=True).hex(),
                                "json": json_format.MessageToJson(message)})
            except Exception:
                answers.append({})
        print(json.dumps(answers))
        """
}

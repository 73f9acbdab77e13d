// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LatchGenerator
import LatchProto
import Testing

@Suite struct `Rules of buf.validate` {
    private static let committed = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Generated/checked.latch.swift")

    @Test func `are written as they are committed`() throws {
        let output = try generate(CheckedProto.text)
        #expect(output.diagnostics.isEmpty, "\(output.diagnostics)")
        let text = try #require(output.files.first?.text)
        if ProcessInfo.processInfo.environment["CheckedProto"] != nil {
            try Data(text.utf8).write(to: Self.committed)
        }
        #expect(String(decoding: try Data(contentsOf: Self.committed), as: UTF8.self) == text)
    }
}

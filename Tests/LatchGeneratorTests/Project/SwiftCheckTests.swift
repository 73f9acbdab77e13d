// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import Testing

@testable import LatchGenerator

@Suite struct `A check by a compiler` {
    @Test(.timeLimit(.minutes(1))) func `ends at its deadline, and says so, where the compiler does not`() async throws
    {
        let path = "\(FileManager.default.temporaryDirectory.path)/compiler-\(UUID().uuidString)"
        try Data("#!/bin/sh\nexec sleep 1000\n".utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        let late = try await SwiftCheck(SwiftToolchain(compiler: path, runtime: nil), deadline: .milliseconds(50))
            .check(["/a.swift"], depth: .syntax)
        #expect(!late.isValid)
        #expect(late.remarks == ["\(path) had not ended after 0.05 seconds, and was ended"])
    }
}

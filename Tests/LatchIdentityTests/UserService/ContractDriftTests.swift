// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchGenerator
import LatchProtoCompiler
import Testing

@Suite struct ContractDriftTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// `latch generate` writes the same with the visibility `package`; this test says when that is due.
    @Test func `The contracts of the user service are up to date with the example's own file`() throws {
        let protos = Self.root.appending(path: "Examples/user-service/Protos")
        let compilation = Compiler.withOptionFiles { name in
            FileManager.default.contents(atPath: protos.appending(path: name).path).map { Array($0) }
        }.compile(["userservice/v1/user_service.proto"])
        try #require(compilation.isComplete, "\(compilation.diagnostics)")
        var options = SwiftOptions()
        options.visibility = .package
        let output = SwiftWriter(files: compilation.filesToGenerate, options: options).write()
        expectEqual(output.files.count, 3)
        try Self.compare(output.files)
    }

    private static func compare(_ files: [GeneratedFile]) throws {
        for file in files {
            let name = try #require(file.path.split(separator: "/").last)
            let kept = root.appending(path: "Sources/Server/LatchIdentity/LatchIdentityPages/Generated/\(name)")
            let regenerates = ProcessInfo.processInfo.environment["LATCH_REGENERATE"] != nil
            if regenerates { try Data(file.text.utf8).write(to: kept) }
            try expectEqual(
                String(contentsOf: kept, encoding: .utf8), file.text,
                "\(name) has drifted: run this test with LATCH_REGENERATE=1")
        }
    }
}

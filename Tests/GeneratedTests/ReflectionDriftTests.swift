// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchGenerator
import LatchProtoCompiler
import Testing

@Suite struct ReflectionDriftTests {
    @Test(arguments: ["reflection.proto", "names.proto"])
    func `Code generated for reflection is up to date`(name: String) throws {
        let folder = URL(fileURLWithPath: #filePath).appending(path: "../../../Sources/RPC/LatchReflection")
            .standardized
        var options = SwiftOptions()
        options.layout = .perFile
        options.visibility = .internal
        let compilation = Compiler { name in
            FileManager.default.contents(atPath: folder.appending(path: "Protos/\(name)").path).map { Array($0) }
        }.compile([name])
        try #require(compilation.isComplete, "\(compilation.diagnostics)")
        for file in SwiftWriter(files: compilation.filesToGenerate, options: options).write().files {
            let committed = folder.appending(path: "Generated/\(file.path)")
            try expectEqual(
                String(contentsOf: committed, encoding: .utf8), file.text,
                "\(file.path) has drifted: run Scripts/generate-test-models")
        }
    }
}

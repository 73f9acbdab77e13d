// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchGenerator
import LatchProtoCompiler
import Testing

@Suite struct ConformanceDriftTests {
    @Test(arguments: [
        ("ConformanceDriver", "LatchConformanceTestee/Generated", 7),
        ("ConnectConformanceDriver", "ConnectConformance/Generated", 1),
    ])
    func `Code generated for the conformance runners is up to date`(driver: String, output: String, count: Int) throws {
        let folder = URL(fileURLWithPath: #filePath).appending(path: "../../\(driver)").standardized
        let protos = folder.appending(path: "Protos")
        var options = SwiftOptions()
        options.layout = .perFile
        let names = try FileManager.default.contentsOfDirectory(atPath: protos.path).filter { $0.hasSuffix(".proto") }
        expectEqual(names.count, count)
        for name in names {
            // Each on its own: two of them have types of the same names, which only their packages tell apart.
            let compilation = Compiler { name in
                FileManager.default.contents(atPath: protos.appending(path: name).path).map { Array($0) }
            }.compile([name])
            try #require(compilation.isComplete, "\(compilation.diagnostics)")
            for file in SwiftWriter(files: compilation.filesToGenerate, options: options).write().files {
                let committed = folder.appending(path: "\(output)/\(file.path)")
                try expectEqual(
                    String(contentsOf: committed, encoding: .utf8), file.text,
                    "\(file.path) has drifted: run Scripts/generate-test-models")
            }
        }
    }
}

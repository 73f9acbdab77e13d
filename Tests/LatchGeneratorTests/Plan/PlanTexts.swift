// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

/// Plans of a text, which may import the files of options.
func planning(_ text: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> PlanningResult {
    let compilation = Compiler.withOptionFiles { name in name == "test.proto" ? Array(text.utf8) : nil }
        .compile(["test.proto"])
    #expect(compilation.diagnostics.isEmpty, sourceLocation: sourceLocation)
    return ServicePlan.read(try #require(compilation.filesToGenerate.first, sourceLocation: sourceLocation))
}

/// The plan of a text's only service, which has nothing wrong.
func servicePlan(_ text: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> ServicePlan {
    let planning = try planning(text, sourceLocation: sourceLocation)
    #expect(planning.diagnostics.isEmpty, sourceLocation: sourceLocation)
    return try #require(planning.plans.first, sourceLocation: sourceLocation)
}

/// The first lines of what is wrong with a text's options.
func complaints(_ text: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> [String] {
    try planning(text, sourceLocation: sourceLocation).diagnostics.map {
        String("\($0)".split(separator: "\n").first ?? "")
    }
}

extension ServicePlan {
    func method(_ name: String, sourceLocation: Testing.SourceLocation = #_sourceLocation) throws -> MethodPlan {
        try #require(methods.first { $0.method.name == name }, sourceLocation: sourceLocation)
    }
}

/// The files of an example, as they are in this package.
func exampleFile(_ path: String) throws -> [UInt8] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    return Array(try Data(contentsOf: root.appending(path: "Examples/\(path)")))
}

func userServicePlan() throws -> ServicePlan {
    let text = try exampleFile("user-service/Protos/userservice/v1/user_service.proto")
    return try servicePlan(String(decoding: text, as: UTF8.self))
}

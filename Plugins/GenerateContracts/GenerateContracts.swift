// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// A build plugin that generates messages, stubs, fakes and servers from a target's .proto files.
///
/// Import paths are relative to the target's folder, and the settings are in `latchwork.toml` in that folder. For
/// example, `Sources/Shop/shop/v1/shop.proto` is imported as `shop/v1/shop.proto`. The generated files are part of the
/// build, not of the sources.
@main
struct GenerateContracts: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) async throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let folder = target.directoryURL
        let protos = module.sourceFiles(withSuffix: ".proto").map(\.url).sorted { $0.path < $1.path }
        guard !protos.isEmpty else {
            Diagnostics.warning("\(target.name) has no .proto files to generate from")
            return []
        }
        let output = context.pluginWorkDirectoryURL
        let settings = folder.appending(path: "latchwork.toml")
        let hasSettings = FileManager.default.fileExists(atPath: settings.path)
        var arguments = ["generate", "--layout", "perFile", "--naming", "pathToUnderscores", "--no-clients"]
        arguments += ["--include", folder.path, "--output-path", output.path, "--force-overwrite"]
        arguments += hasSettings ? ["--config", settings.path] : []
        return [
            .buildCommand(
                displayName: "Generating Swift from \(protos.count) .proto files of \(target.name)",
                executable: try context.tool(named: "axiom-client-generator").url,
                arguments: arguments + protos.flatMap { ["--proto-path", $0.path] },
                inputFiles: protos + (hasSettings ? [settings] : []),
                outputFiles: protos.map { output.appending(path: Self.name(of: $0, in: folder)) })
        ]
    }

    /// Returns the name that the generator gives to the file: the path with underscores.
    private static func name(of proto: URL, in folder: URL) -> String {
        let path = proto.path.dropFirst(folder.path.count).drop { $0 == "/" }.dropLast(".proto".count)
        return path.split(separator: "/").joined(separator: "_") + ".latch.swift"
    }
}

// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// `swift package generate-clients`: the generator as a command plugin that writes to the package.
///
/// The arguments are those of `axiom-client-generator generate`. Without arguments, the settings come from
/// `latchwork.toml` in the package's folder.
@main
struct GenerateClients: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let process = Process()
        process.executableURL = try context.tool(named: "axiom-client-generator").url
        process.arguments = ["generate"] + arguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            Diagnostics.error("the generator has failed (exit \(process.terminationStatus))")
            return
        }
    }
}

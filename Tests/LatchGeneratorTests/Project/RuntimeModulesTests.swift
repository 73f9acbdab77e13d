// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import Testing

@testable import LatchGenerator

@Suite struct RuntimeModulesTests {
    /// The places of this package's C modules, seen from the package that is built.
    enum Place: CaseIterable {
        case package, checkout, dependencyByPath
    }

    @Test(arguments: Place.allCases)
    func `The modules of the runtime are found with their module maps in the build of a dependent package`(
        place: Place
    ) throws {
        let package =
            switch place {
            case .package: "app"
            case .checkout: "app/.build/checkouts/latchwork"
            case .dependencyByPath: "elsewhere/latchwork"
            }
        let build = "app/.build/x86_64-unknown-linux-gnu/debug"
        let paths = ["CLatchTimer", "CLatchZlib"].map { "\(package)/Sources/C/\($0)/module.modulemap" }
        let files = paths + ["\(build)/CLatchTexts.build/module.modulemap", "\(build)/Modules/LatchRPC.swiftmodule"]
        try ProjectFolder.with(Dictionary(uniqueKeysWithValues: files.map { ($0, "") })) { folder in
            let state = """
                {"object": {"dependencies": [
                    {"state": {"name": "fileSystem", "path": "\(folder.path)/elsewhere/other"}},
                    {"state": {"name": "fileSystem", "path": "\(folder.path)/elsewhere/latchwork"}},
                    {"state": {"name": "sourceControlCheckout"}, "subpath": "latchwork"}
                ]}, "version": 7}
                """
            try folder.write(state, to: "app/.build/workspace-state.json")
            let program = "\(folder.path)/\(build)/axiom-client-generator-tool"
            let flags = try #require(RuntimeModules.find(near: program, named: [])).flags
            let maps = ["\(build)/CLatchTexts.build/module.modulemap"] + paths
            let expected = maps.flatMap { ["-Xcc", "-fmodule-map-file=\(folder.path)/\($0)"] }
            expectEqual(flags, ["-I", "\(folder.path)/\(build)/Modules"] + expected)
        }
    }
}

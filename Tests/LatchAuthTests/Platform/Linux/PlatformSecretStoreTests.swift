// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Expectations
import Foundation
import Testing

@testable import LatchAuth

@Suite struct PlatformSecretStoreTests {
    @Test(
        arguments: [
            (["LATCH_HOME": "/l", "XDG_DATA_HOME": "/x", "HOME": "/h"], "/l"),
            (["XDG_DATA_HOME": "/x", "HOME": "/h"], "/x/latchwork"),
            (["HOME": "/h"], "/h/.local/share/latchwork"),
            (["LATCH_HOME": "l", "XDG_DATA_HOME": "/x"], "/x/latchwork"),
            (["LATCH_HOME": "", "XDG_DATA_HOME": "x", "HOME": "/h"], "/h/.local/share/latchwork"),
            (["XDG_DATA_HOME": "./x", "HOME": "/h"], "/h/.local/share/latchwork"),
            (["XDG_DATA_HOME": "~/x", "HOME": "/h"], "/h/.local/share/latchwork"),
        ] as [([String: String], String)])
    func `The folder of the platform's secrets is the first absolute path among the variables`(
        environment: [String: String], folder: String
    ) {
        expectEqual(secretsFolder(in: environment), folder)
    }

    @Test func `The folder of the platform's secrets is absolute even where the environment says nothing`() {
        #expect(secretsFolder(in: [:]).hasPrefix("/"))
        #expect(secretsFolder(in: ["HOME": "relative"]).hasPrefix("/"))
        // Foundation takes the process's own HOME, relative or not.
        let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_dir) } ?? "/var/empty"
        expectEqual(secretsFolder(in: ["HOME": ""]), user + "/.local/share/latchwork")
    }
}
#endif

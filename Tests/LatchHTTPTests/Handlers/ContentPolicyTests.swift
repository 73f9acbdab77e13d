// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchHTTP

@Suite struct ContentPolicyTests {
    private let policy = ContentPolicy(limits: ["/shop.v1.Shop/": 9], streamed: ["/shop.v1.Shop/Watch"])

    @Test(arguments: ["", "/api", "/api/v1"])
    func `The rules of content follow their handler below a path`(mount: String) {
        let mounted = policy.mounted(at: "\(mount)/shop.v1.Shop/{method}")
        expectEqual(mounted.limits, ["\(mount)/shop.v1.Shop/": 9])
        expectEqual(mounted.streamed, ["\(mount)/shop.v1.Shop/Watch"])
    }

    @Test(arguments: ["", "/", "/other/{method}", "/{tenant}/shop.v1.Shop/{method}", "/xshop.v1.Shop/{method}"])
    func `The rules of content do not reach another path`(pattern: String) {
        let mounted = policy.mounted(at: pattern)
        #expect(mounted.limits.isEmpty && mounted.streamed.isEmpty)
    }

    @Test func `The rules of content of the later policy prevail`() {
        let merged = policy.merging(ContentPolicy(limits: ["/shop.v1.Shop/": 1, "/a/": 2], streamed: ["/a/B"]))
        expectEqual(merged.limits, ["/shop.v1.Shop/": 1, "/a/": 2])
        expectEqual(merged.streamed, ["/shop.v1.Shop/Watch", "/a/B"])
    }
}

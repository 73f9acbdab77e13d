// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import Testing

@testable import LatchIdentity

@Suite struct NetworkPrefixTests {
    @Test(arguments: [
        ("2001:db8:0:7:1:2:3:4", "2001:db8:0:7::/64"), ("2001:db8:0:7::", "2001:db8:0:7::/64"),
        ("2001:DB8:0000:0007::ffff", "2001:db8:0:7::/64"), ("fe80::1%eth0", "fe80:0:0:0::/64"), ("::1", "0:0:0:0::/64"),
        ("2001:db8::192.0.2.1", "2001:db8:0:0::/64"),
    ])
    func `The network of an IPv6 address is its first half, in any notation`(address: String, prefix: String) {
        expectEqual(NetworkPrefix(of: address).text, prefix)
    }

    @Test func `The network of an IPv4 address is the whole of it, also when mapped into IPv6`() {
        expectEqual(NetworkPrefix(of: "192.0.2.1").text, "192.0.2.1")
        expectEqual(NetworkPrefix(of: "::ffff:192.0.2.1"), NetworkPrefix(of: "192.0.2.1"))
        expectEqual(NetworkPrefix(of: "::ffff:c000:0201"), NetworkPrefix(of: "192.0.2.1"))
        expectNotEqual(NetworkPrefix(of: "::ffff:192.0.2.2"), NetworkPrefix(of: "192.0.2.1"))
    }

    @Test(arguments: [
        "in process", "", ":", "1:2:3", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", "::1.2.3", "::1.2.3.256",
        "1:2:3:4:5:6:7:8::",
    ])
    func `The network of an invalid address is the text itself`(text: String) {
        expectEqual(NetworkPrefix(of: text).text, text)
    }
}

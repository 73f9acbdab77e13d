// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LatchIdentity

@Suite struct `The network of an address` {
    @Test(arguments: [
        ("2001:db8:0:7:1:2:3:4", "2001:db8:0:7::/64"), ("2001:db8:0:7::", "2001:db8:0:7::/64"),
        ("2001:DB8:0000:0007::ffff", "2001:db8:0:7::/64"), ("fe80::1%eth0", "fe80:0:0:0::/64"), ("::1", "0:0:0:0::/64"),
        ("2001:db8::192.0.2.1", "2001:db8:0:0::/64"),
    ])
    func `is the first half of it where it is IPv6, however it is written`(address: String, prefix: String) {
        #expect(NetworkPrefix(of: address).text == prefix)
    }

    @Test func `is the whole of it where it is IPv4, in IPv6 clothes as well`() {
        #expect(NetworkPrefix(of: "192.0.2.1").text == "192.0.2.1")
        #expect(NetworkPrefix(of: "::ffff:192.0.2.1") == NetworkPrefix(of: "192.0.2.1"))
        #expect(NetworkPrefix(of: "::ffff:c000:0201") == NetworkPrefix(of: "192.0.2.1"))
        #expect(NetworkPrefix(of: "::ffff:192.0.2.2") != NetworkPrefix(of: "192.0.2.1"))
    }

    @Test(arguments: [
        "in process", "", ":", "1:2:3", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", "::1.2.3", "::1.2.3.256",
        "1:2:3:4:5:6:7:8::",
    ])
    func `is the text itself where that is no address`(text: String) {
        #expect(NetworkPrefix(of: text).text == text)
    }
}

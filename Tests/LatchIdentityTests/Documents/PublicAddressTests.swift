// SPDX-License-Identifier: Apache-2.0

import IdentityTestSupport
import LatchServer
import TestTags
import Testing

@testable import LatchIdentity

/// The IANA registries of special addresses (RFC 6890).
@Suite struct PublicAddressTests {
    @Test(
        .tags(.serverSideRequest),
        arguments: [
            "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.100.100.200",
            "100.127.255.255",
            "127.0.0.1", "127.255.255.255", "168.63.129.16", "169.254.0.0", "169.254.169.254", "169.254.255.255",
            "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.0",
            "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1",
            "239.255.255.255", "240.0.0.1", "255.255.255.255",
        ])
    func `A special address of IPv4 is not public, in any form of IPv6 either`(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!address.isPublic)
        let bytes = [24, 16, 8, 0].map { (shift: UInt64) in UInt8(truncatingIfNeeded: address.high >> (32 + shift)) }
        let words = [0, 2].map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
        for form in [
            "::ffff:\(text)", "::\(text)", "::ffff:0:\(text)", "64:ff9b::\(text)", "64:ff9b:1::\(text)",
            "2002:\(words[0]):\(words[1])::1", "2001::\(words[0]):\(words[1])", "2001:0:\(words[0]):\(words[1])::",
            "fe80::5efe:\(text)",
        ] {
            let other = try #require(IPAddress(form), "\(form)")
            #expect(!other.isPublic, "\(form)")
        }
    }

    @Test(
        .tags(.serverSideRequest),
        arguments: [
            "::", "::1", "::2", "::8.8.8.8", "100::1", "64:ff9b:1::8.8.8.8", "2001::1", "2001:2::1", "2001:10::1",
            "2001:20::1", "2001:1ff:ffff::1", "2001:db8::1", "2002:808:808::1", "3fff::1", "3fff:fff::1", "4000::1",
            "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "ff0e::1",
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "1fff::1",
        ])
    func `A special address of IPv6 is not public`(text: String) throws {
        #expect(!(try #require(IPAddress(text))).isPublic)
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.1",
        "168.63.129.15", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.0.3.1",
        "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8", "2001:200::1", "2001:4860:4860::8888", "2606:4700::1111", "2a00::1", "3ffe::1",
        "2001:db7:ffff::1", "2001:db9::1", "2003::1",
    ])
    func `An address beside the special ones is public`(text: String) throws {
        #expect((try #require(IPAddress(text))).isPublic)
    }
}

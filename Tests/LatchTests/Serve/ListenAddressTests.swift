// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchIdentity
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct ListenAddressTests {
    @Test(arguments: [
        ("127.0.0.1:8080", "127.0.0.1", 8080, true), ("[::1]:0", "::1", 0, true), ("localhost:1", "localhost", 1, true),
        ("0.0.0.0:80", "0.0.0.0", 80, false), ("[2001:db8::1]:443", "2001:db8::1", 443, false),
        ("127.9.9.9:65535", "127.9.9.9", 65535, true), ("192.168.0.127:1", "192.168.0.127", 1, false),
        ("127.example.com:1", "127.example.com", 1, false),
        ("127.0.0.1.example.com:1", "127.0.0.1.example.com", 1, false),
        ("127.0.0.256:1", "127.0.0.256", 1, false), ("127.1:1", "127.1", 1, false),
    ])
    func `An address to listen on has a host and a port`(text: String, host: String, port: Int, isLoopback: Bool) throws
    {
        let address = try ListenAddress(text)
        expectEqual(address.host, host)
        expectEqual(address.port, port)
        expectEqual(address.isLoopback, isLoopback)
    }

    @Test(arguments: [
        "", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "a:b", "::1:80",
    ])
    func `An address to listen on is refused if it is invalid`(text: String) throws {
        let problem = try #require(throws: SettingProblem.self) { try ListenAddress(text) }
        guard case .stated(let sentence, let hint, let expected) = problem else {
            Issue.record("\(problem)")
            return
        }
        #expect(sentence.contains("'\(text)'") && hint != nil)
        #expect(text.isEmpty || !expected.contains("'\(text)'"))
    }
}

@Suite struct StoreLocationParsingTests {
    @Test(arguments: [("sqlite:latch.sqlite", "latch.sqlite"), ("sqlite:/a b/c", "/a b/c"), ("sqlite:x:y", "x:y")])
    func `A store's location is a file of SQLite`(text: String, path: String) throws {
        try expectEqual(StoreLocation(text).path, path)
    }

    @Test(arguments: ["", "sqlite:", "latch.sqlite", "mysql://a@b"])
    func `A store's location is refused if it is invalid`(text: String) {
        #expect(throws: CommandError.self) { try StoreLocation(text) }
    }

    @Test(arguments: ["postgres://ada:hunter2@localhost/latch", "postgresql://localhost/latch"])
    func `A store's location is a database of PostgreSQL, as libpq takes it`(text: String) throws {
        let location = try StoreLocation(text)
        #expect(location.path == text && !location.isFile)
    }

    @Test(arguments: [
        ("postgres://ada:hunter2@localhost/x", "postgres://(redacted)@localhost/x"), ("sqlite:a@b", "sqlite:a@b"),
        ("postgres://localhost/x", "postgres://localhost/x"), ("x://a:b@c@d", "x://(redacted)@d"),
    ])
    func `A store's location is shown without its password`(text: String, shown: String) {
        expectEqual(StoreLocation.redacted(text), shown)
    }
}

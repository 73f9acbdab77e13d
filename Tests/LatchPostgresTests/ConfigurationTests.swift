// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import TestSupport
import Testing

@testable import LatchPostgres

@Suite struct ConfigurationTests {
    @Test func `The configuration of a database never shows the connection string`() {
        let configuration = PostgresConfiguration("postgres://latch:canary@localhost/latch")
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("canary"))
        }
    }

    /// With each of these libpq would take a part of the password for a host, a port, a parameter or a keyword.
    @Test(arguments: [
        "postgres://latch:can@ary@localhost/latch", "postgres://latch:can/ary@localhost/latch",
        "postgres://latch:can?a@ry@localhost/latch", "postgresql://latch:can%zzary@localhost/latch",
        "host=localhost password=can ary", "postgres://latch@localhost/latch?canary=1",
    ])
    func `The configuration of a database rejects a malformed string without quoting it`(text: String) {
        let error = #expect(throws: PostgresError.self) { try ConnectionString(text) }
        #expect(
            error == .malformedConnectionString
                && error?.description == PostgresError.malformedConnectionString.description)
    }

    @Test(arguments: [
        ("postgres://db.example.org/latch", true), ("postgres://localhost,db.example.org/latch", true),
        ("host=10.0.0.7", true), ("service=identity", true), ("postgres://localhost,127.0.0.1,[::1]/latch", false),
        ("host=/run/postgresql", false), ("postgres:///latch", false),
    ])
    func `The configuration of a database verifies the server's name unless the string says otherwise`(
        text: String, isVerified: Bool
    ) throws {
        let options = try ConnectionString(text).options(connectTimeout: .seconds(3))
        let mode = try #require(options.firstIndex { $0.keyword == "dbname" })
        expectEqual(options[..<mode].contains { $0 == ("sslmode", "verify-full") }, isVerified)
        #expect(options.contains { $0 == ("connect_timeout", "3") })
        // The kernel notices a server that has gone, also while a statement without a time limit runs.
        #expect(options[..<mode].contains { $0 == ("tcp_user_timeout", "25000") })
    }

    @Test(arguments: [
        (["PGHOSTADDR": "10.0.0.7"], true), (["PGHOSTADDR": "127.0.0.1", "PGHOST": "db.example.org"], false),
        (["PGHOSTADDR": "127.0.0.1,,"], false), (["PGSERVICE": "identity"], true), ([:], false),
    ])
    func `The configuration of a database takes the environment's address if libpq would connect there`(
        environment: [String: String], isVerified: Bool
    ) throws {
        for text in ["host=localhost", "postgres://localhost/latch"] {
            try expectNotEqual(ConnectionString(text, environment: environment).isLocal, isVerified)
        }
    }

    @Test func `The configuration of a database hides a message that repeats the password`() throws {
        let string = try ConnectionString("postgres://latch:canary@localhost/latch")
        expectEqual(string.redacted("no route.\n\tIs there a host?\n"), "no route")
        expectEqual(string.redacted("one\ntwo\n"), "one; two")
        expectNil(string.redacted("cannot find the host canary"))
    }

    /// Waiting changes none of these, and the values may be misplaced passwords.
    @Test(arguments: [
        ("port=543x", "'port'"), ("port=canary host=localhost", "'port'"), ("sslmode=canary", "'sslmode'"),
        ("host=a,b port=1,2,3", "is malformed"),
    ])
    func `The configuration of a database names an option unknown to libpq, without its value`(
        text: String, named: String
    ) async {
        let error = await failure { try PostgresConnection(PostgresConfiguration(text)) }
        #expect(
            error == .malformedConnectionString && error?.message.contains(named) == true,
            "\(String(describing: error))")
        #expect(error?.description.contains("canary") == false && error?.isRepeatable == false)
    }

    @Test func `The configuration of a database finds the error code of a server of any language`() throws {
        let brief = "connection to server at \"127.0.0.1\", port 5432 failed: FATAL:  3D000\n"
        expectEqual(ConnectionFailure.sqlState(inBrief: brief), "3D000")
        expectNil(ConnectionFailure.sqlState(inBrief: "connection to server failed: Connection refused\n"))
        let text = "connection to server at \"db\", port 5432 failed: FATAL:  Datenbank »x« existiert nicht\n"
        #expect(ConnectionFailure.isByServer(text))
        for (state, isLasting) in [("3D000", true), ("28000", true), ("57P03", false), ("53300", false)] {
            let failure = try ConnectionFailure(text, sqlState: state, string: .local)
            expectNotEqual(failure.error.isRepeatable, isLasting)
            expectEqual(failure.error.hint?.contains("max_connections"), state == "53300")
        }
        let name = "could not translate host name \"db\" to address: Name or service not known\n"
        #expect(
            try ConnectionFailure(name, sqlState: nil, string: .local).error.isRepeatable, "a container may come later")
    }
}

@Suite(needsServer, .timeLimit(.minutes(1))) struct ConnectionTests {
    @Test
    func `A connection with a wrong or without a password is rejected, and the error does not quote it`() async throws {
        let cluster = try await PostgresCluster.shared()
        for password in ["wrong-canary", ""] {
            let error = await failure {
                try PostgresConnection(PostgresConfiguration(cluster.address(password: password)))
            }
            expectEqual(error, .authenticationFailed)
            expectEqual(error?.description.contains("canary"), false)
        }
        await expectEqual(
            failure { try PostgresConnection(PostgresConfiguration("host=/nowhere connect_timeout=2")) },
            .connectionFailed)
    }

    @Test func `A connection is not tried again if waiting does not help`() async throws {
        let cluster = try await PostgresCluster.shared()
        let observer = cluster.database()
        defer { observer.close() }
        try await observer.run("CREATE ROLE stranger LOGIN PASSWORD '\(PostgresCluster.password)'")
        _ = try await observer.withConnection { try $0.run("CREATE DATABASE private") }
        try await observer.run("REVOKE CONNECT ON DATABASE private FROM PUBLIC")
        let own = cluster.address()
        let cases: [(String, PostgresError, hint: String)] = [
            (cluster.address(database: "nowhere"), .connectionRejected, "createdb"),
            (
                own.replacing("latch:", with: "stranger:").replacing("/postgres?", with: "/private?"),
                .connectionRejected, "GRANT"
            ),
            (own.replacing("latch:", with: "nobody:"), .authenticationFailed, "pg_hba.conf"),
            (own + "&options=-c%20statement_timeout%3Dsoon", .connectionRejected, "connection string"),
            (own.replacing("sslmode=disable", with: "sslmode=require"), .untrustedServer, "sslmode"),
        ]
        for (address, expected, hint) in cases {
            var configuration = PostgresConfiguration(address)
            configuration.retryTimeout = .seconds(3600)
            let database = PostgresDatabase(configuration)
            defer { database.close() }
            let error = await failure { try await database.number("SELECT 1") }
            #expect(error == expected && error?.isRepeatable == false, "\(String(describing: error))")
            #expect(error?.hint?.contains(hint) == true && error?.description.contains("canary") == false)
        }
    }

    @Test
    func `A connection has the isolation that its statements need, whatever the server's default is`() async throws {
        let cluster = try await PostgresCluster.shared()
        let observer = cluster.database()
        defer { observer.close() }
        _ = try await observer.withConnection { try $0.run("CREATE DATABASE strict") }
        try await observer.run("ALTER DATABASE strict SET default_transaction_isolation = 'serializable'")
        try await observer.run("ALTER DATABASE strict SET default_transaction_deferrable = on")
        let connection = try PostgresConnection(PostgresConfiguration(cluster.address(database: "strict")))
        for (setting, value) in [("transaction_isolation", "read committed"), ("transaction_deferrable", "off")] {
            try expectEqual(connection.first("SHOW \(setting)") { row throws(PostgresError) in try row.text(0) }, value)
        }
    }

    @Test func `A connection tries each host of its string, for one that can write`() async throws {
        let cluster = try await PostgresCluster.shared()
        let hosts = "127.0.0.1:1,127.0.0.1:\(cluster.port)"
        let string = "postgres://latch:\(PostgresCluster.password)@\(hosts)/postgres?sslmode=disable"
        try expectEqual(PostgresConnection(PostgresConfiguration(string)).run("SELECT 1"), 1)
        let standby = string + "&target_session_attrs=standby"
        await expectEqual(failure { try PostgresConnection(PostgresConfiguration(standby)) }, .connectionFailed)
    }

    /// The string says nothing about the role of a server.
    private func database(on clusters: PostgresCluster...) -> PostgresDatabase {
        let hosts = clusters.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
        var configuration = PostgresConfiguration(
            "postgres://latch:\(PostgresCluster.password)@\(hosts)/postgres?sslmode=disable")
        configuration.maximumConnections = 1
        return PostgresDatabase(configuration)
    }

    @Test func `A connection skips a server that only reads, such as a standby`() async throws {
        try await PostgresCluster.alone(settings: ["default_transaction_read_only=on"]) { standby in
            let primary = try await PostgresCluster.shared()
            let database = database(on: standby, primary)
            defer { database.close() }
            try await expectEqual(database.run("CREATE TABLE of_primary (n bigint)"), 0)
            let port = try await database.withConnection { connection in
                try connection.first("SHOW port") { row throws(PostgresError) in try row.text(0) }
            }
            expectEqual(port, primary.port)
        }
    }

    @Test
    func `A connection leaves a server that stops accepting writes, and repeats the transaction elsewhere`()
        async throws
    {
        try await PostgresCluster.alone { former in
            let primary = try await PostgresCluster.shared()
            let database = database(on: former, primary)
            let (observer, administrator) = (primary.database(), former.database())
            defer { for database in [database, observer, administrator] { database.close() } }
            // The second has what was replicated to it.
            for server in [administrator, observer] { try await server.run("CREATE TABLE of_successor (n bigint)") }
            let setting = "SELECT count(*) FROM pg_settings WHERE name = 'default_transaction_read_only'"
            try await expectEqual(database.number("\(setting) AND setting = 'off'"), 1)
            _ = try await administrator.withConnection { connection in
                try connection.run("ALTER SYSTEM SET default_transaction_read_only = on")
                return try connection.run("SELECT pg_reload_conf()")
            }
            try await database.wait(for: "\(setting) AND setting = 'on'")
            try await expectEqual(database.run("INSERT INTO of_successor VALUES (1)"), 1)
            try await expectEqual(observer.number("SELECT count(*) FROM of_successor"), 1)
        }
    }

    @Test func `A connection verifies the certificate and the name of its server`() async throws {
        let certificate = try await Certificate(ofAuthority: true)
        let other = try await Certificate(ofAuthority: true)
        try await PostgresCluster.alone(certificate: certificate) { cluster in
            let string =
                "hostaddr=127.0.0.1 port=\(cluster.port) user=latch password=\(PostgresCluster.password) "
                + "dbname=postgres sslmode=verify-full"
            let connect = { (rest: String) in try PostgresConnection(PostgresConfiguration("\(string) \(rest)")) }
            let connection = try connect("host=localhost sslrootcert=\(certificate.authorityPath)")
            #expect(connection.isEncrypted)
            for rest in [
                "host=localhost sslrootcert=\(other.authorityPath)",
                "host=db.example.org sslrootcert=\(certificate.authorityPath)",
                "host=localhost sslrootcert=/nowhere",
            ] {
                let error = await failure { try connect(rest) }
                #expect(error == .untrustedServer && error?.isRepeatable == false)
                expectEqual(error?.description.contains("canary"), false)
            }
        }
    }
}

extension ConnectionString {
    /// A string without a password.
    fileprivate static var local: ConnectionString {
        get throws { try ConnectionString("postgres://localhost/latch") }
    }
}

// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchProcess
import LatchServer
import LatchTesting
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch

@Suite(.timeLimit(.minutes(2))) struct ServerDoctorTests {
    @Test func `latch admin doctor finds a working server, and the faults of its store`() async throws {
        try await CommandHome.with { home in
            try await BuiltProgram.serving(in: home.folder) { _, url in
                let store = home.folder + "/latch.sqlite"
                let arguments = ["--store", "sqlite:\(store)", "--issuer", url]
                let report = try await DoctorReport.of(home, arguments)
                #expect(report.outcome.ending == .exited(0) && report.failures.isEmpty, "\(report.printed)")
                #expect(report.says("issuer", "\(url) is this issuer") && report.says("store", "the newest"))
                // Nobody gets a mail from it.
                #expect(report.warnings.contains("configuration"))

                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store)
                let key = ["LATCH_STORE_KEY": String(repeating: "4b", count: 32)]
                let worse = try await DoctorReport.of(home, arguments, key)
                expectEqual(worse.outcome.ending, .exited(1))
                expectEqual(worse.failures, ["store file", "store key"], "\(worse.printed)")
                #expect(worse.says("store file", "mode 644"))
                #expect(worse.findings.allSatisfy { $0["fine"] == true || $0["hint"]?.stringValue?.isEmpty == false })
                #expect(!worse.printed.contains("4b4b4b4b"))
            }
        }
    }

    @Test func `latch admin doctor ends with the configuration if that cannot be read`() async throws {
        try await CommandHome.with { home in
            let file = home.folder + "/latch.toml"
            try Data("argon2_passes = \"many\"\n".utf8).write(to: URL(filePath: file))
            let report = try await DoctorReport.of(home, ["--config", file])
            #expect(report.outcome.ending == .exited(1) && report.findings.count == 1)
            #expect(report.says("configuration", "\(file):1"))
        }
    }

    @Test func `latch admin doctor warns of a missing store, and fails if none can exist`() async throws {
        try await CommandHome.with { home in
            let report = try await DoctorReport.of(home, ["--store", "sqlite:\(home.folder)/none.sqlite"])
            #expect(report.outcome.ending == .exited(0) && report.warnings.contains("store"), "\(report.printed)")
            #expect(!FileManager.default.fileExists(atPath: home.folder + "/none.sqlite"))
            let nowhere = try await DoctorReport.of(home, ["--store", "sqlite:\(home.folder)/nowhere/none.sqlite"])
            #expect(nowhere.outcome.ending == .exited(1) && nowhere.failures == ["store"])
            try Data("a text".utf8).write(to: URL(filePath: home.folder + "/text"))
            #expect(
                try await DoctorReport.of(home, ["--store", "sqlite:\(home.folder)/text"]).failures.contains("store"))
        }
    }

    @Test(
        arguments: [
            (#"{"issuer":"https://other.example"}"#, "says that it is 'https://other.example'"),
            (#"{}"#, "says that it is ''"), ("hunter2", nil), (nil, "has no metadata (404"),
        ] as [(String?, String?)])
    func `latch admin doctor fails if another issuer answers, or none`(answer: String?, said: String?) async throws {
        try await ScriptedIssuer.with { router in
            guard let answer else { return }
            router.get("/.well-known/openid-configuration") { _ in
                HTTPResponse(status: .ok, fields: [.contentType: "application/json"], body: HTTPBody(answer))
            }
        } _: { issuer in
            let settings = try Settings(environment: ["LATCH_ISSUER": issuer.url])
            let found = await ServiceCheck(settings: settings, variables: [:], transport: Transport.live).run()
            let finding = try #require(found.first { $0.subject == "issuer" })
            #expect(!finding.isFine)
            if let said { expectEqual(finding.lines.first?.contains(said), true, "\(finding.lines)") }
        }
    }

    @Test func `latch admin doctor checks whether a collector accepts its data`() async throws {
        let handler = ClosureHandler { request in
            HTTPResponse(status: request.path == "/v1/traces" && request.fields["x-key"] == "a" ? 200 : 403)
        }
        let settings = try Settings(environment: ["LATCH_OTLP_ENDPOINT": "http://127.0.0.1:9"])
        let variables = ["OTEL_EXPORTER_OTLP_HEADERS": "x-key=a"]
        let found = await ServiceCheck(settings: settings, variables: variables, transport: handler).run()
            .filter { $0.subject == "telemetry" }
        #expect(found.map(\.isWarning) == [false, true] && found.allSatisfy(\.isFine))
        expectEqual(found.last?.lines.first?.contains("does not take metrics (403"), true)
    }

    @Test func `latch admin doctor names the failing identity provider and its fault`() async throws {
        let handler = ClosureHandler { request in
            guard request.authority == "sso.example.com" else { return HTTPResponse(status: .notFound) }
            let text =
                switch request.path {
                case "/.well-known/openid-configuration":
                    #"{"issuer":"https://sso.example.com","authorization_endpoint":"https://sso.example.com/a","#
                        + #""token_endpoint":"https://sso.example.com/t","jwks_uri":"https://sso.example.com/k"}"#
                case "/k": String(decoding: KeySet([try Key.generate(.es256)]).jwks().serialized(), as: UTF8.self)
                default: #"{"error":"invalid_client"}"#
                }
            let status = request.path == "/t" ? HTTPStatus.unauthorized : .ok
            return HTTPResponse(status: status, fields: [.contentType: "application/json"], body: HTTPBody(text))
        }
        let upstreams = [
            "staff;issuer=https://sso.example.com;client_id=latch", "gone;issuer=https://gone.example;client_id=a",
        ]
        let settings = try Settings(environment: [
            "LATCH_UPSTREAMS": upstreams.joined(separator: " "),
            "LATCH_UPSTREAM_SECRETS": "staff=hunter2 gone=hunter2", "LATCH_SIGN_IN_REDIRECTS": "notes://auth/callback",
        ])
        let found = await ServiceCheck(settings: settings, variables: [:], transport: handler).run()
            .filter { $0.subject == "providers" }
        #expect(found.map { $0.facts["provider"] } == ["gone", "staff"] && found.allSatisfy { !$0.isFine })
        expectEqual(found.map { $0.facts["part"] }, ["discovery", "token"])
        #expect(found.last?.facts["code"] == "invalidClient" && found.last?.hint != nil)
        #expect(!found.map(\.lines).description.contains("hunter2"))
    }

    @Test func `latch admin doctor compares the connections with the system's limits`() async throws {
        try await CommandHome.with { home in
            let many = try await DoctorReport.of(home, [], ["LATCH_MAXIMUM_CONNECTIONS": "1000000"])
            let few = try await DoctorReport.of(home, [], ["LATCH_MAXIMUM_CONNECTIONS": "10"])
            #expect(few.says("descriptors", "enough for 10 connections"))
            let limit = try #require(many.findings.first { $0["subject"] == "descriptors" }?["limit"]?.intValue)
            expectEqual(many.warnings.contains("descriptors"), limit < 1_000_100)
        }
    }
}

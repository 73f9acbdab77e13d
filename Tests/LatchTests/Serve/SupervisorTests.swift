// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchProcess
import LatchServer
import LatchTesting
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch

@Suite(.serialized, .timeLimit(.minutes(2))) struct SupervisorTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Peers/Operations/service_manager.py").path

    /// Returns the next line of the service manager, decoded.
    private func next(_ process: ChildProcess) async throws -> JSONValue {
        try JSONValue(parsing: Array(try #require(await process.line()).utf8))
    }

    @Test
    func `A server of a service manager serves its socket, reads its credentials, and reports its state`() async throws
    {
        try await withTemporaryFolder { folder in
            let credentials = folder + "/credentials"
            try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)
            try Data("hunter2-pepper-of-this-server\n".utf8).write(to: URL(filePath: credentials + "/token_pepper"))
            let serve = ["serve", "--listen", "127.0.0.1:1", "--store", "sqlite:\(folder)/latch.sqlite"]
            let process = try ChildProcess.start(
                "/usr/bin/env", ["python3", Self.script, folder, BuiltProgram.path] + serve,
                environment: BuiltProgram.environment(
                    BuiltProgram.unhurried.merging([
                        "LATCH_MAIL_DIRECTORY": folder + "/mails", "LATCH_ACCESS_LOG": "off",
                    ]) { $1 }), errors: .file(folder + "/error"))
            let port = try #require(try await next(process)["port"]?.intValue)
            let ready = try await next(process).stringValue
            expectEqual(
                ready, "READY=1\nSTATUS=serving http://127.0.0.1:\(port)",
                "\(BuiltProgram.lines(of: folder + "/error"))")
            let client = Client(baseURL: try #require(URL(string: "http://127.0.0.1:\(port)")))
            try await expectEqual(client.perform(.raw(.get, "readyz")).status, .ok)
            process.hangUp()
            try await expectEqual(next(process).stringValue?.hasPrefix("RELOADING=1\nMONOTONIC_USEC="), true)
            try await expectEqual(next(process).stringValue?.hasPrefix("READY=1\n"), true)
            try await expectEqual(client.perform(.raw(.get, "readyz")).status, .ok)
            process.terminate()
            try await expectEqual(next(process).stringValue, "STOPPING=1")
            await expectNil(process.line())
            await expectEqual(process.end(), .exited(0))
            expectEqual(
                BuiltProgram.lines(of: folder + "/error"),
                [
                    "latch: the configuration and the keys have been read again"
                ])
        }
    }

    @Test func `A server of a service manager takes secrets from credentials, between environment and file`() throws {
        let credential = ["token_pepper": SettingCredential(path: "/run/x/token_pepper", text: "hunter2")]
        let settings = try Settings(credentials: credential)
        expectEqual(settings.text(of: "token_pepper"), "hunter2")
        let effective = try #require(settings.all.first { $0.setting.key == "token_pepper" })
        #expect(effective.source == .file(path: "/run/x/token_pepper", line: nil) && effective.shown == "(redacted)")
        #expect(!settings.toml.contains("hunter2"))
        let other = try Settings(environment: ["LATCH_TOKEN_PEPPER": "hunter3"], credentials: credential)
        expectEqual(other.text(of: "token_pepper"), "hunter3")
    }

    @Test
    func `A server of a service manager takes the store from a credential, whose password is never shown`() async throws
    {
        try await withTemporaryFolder { folder in
            let uri = "postgres://latch:hunter2@db.example/latch?password=hunter3"
            try Data((uri + "\n").utf8).write(to: URL(filePath: folder + "/store"))
            // Neither a secret nor a URI that may hold one: the file of that name does not count.
            try Data("127.0.0.1:1".utf8).write(to: URL(filePath: folder + "/listen"))
            let load = { (variables: [String: String]) in
                try SettingsLoader(
                    Invocation(), variables: variables.merging(["CREDENTIALS_DIRECTORY": folder]) { $1 }
                ).load()
            }
            let settings = try load([:])
            #expect(settings.text(of: "store") == uri && settings.text(of: "listen") == "127.0.0.1:8080")
            #expect(!settings.toml.contains("hunter") && !"\(settings.json)".contains("hunter"))
            expectEqual(settings.all.first { $0.setting.key == "store" }?.source.description, folder + "/store")
            try expectEqual(load(["LATCH_STORE": "sqlite:other"]).text(of: "store"), "sqlite:other")
            try Data("mysql://latch:hunter2@db.example".utf8).write(to: URL(filePath: folder + "/store"))
            let error = #expect(throws: CommandError.self) { try load([:]) }
            #expect(error?.message.hasPrefix("\(folder)/store: ") == true && error?.message.contains("hunter") == false)
        }
    }

    /// A secret that were taken for one that is not set would leave in plain what it is to encrypt.
    @Test(arguments: ["store_key", "token_pepper", "store"])
    func `A server of a service manager takes no empty credential`(name: String) async throws {
        try await withTemporaryFolder { folder in
            try Data("\n".utf8).write(to: URL(filePath: "\(folder)/\(name)"))
            let error = #expect(throws: CommandError.self) {
                try SettingsLoader(Invocation(), variables: ["CREDENTIALS_DIRECTORY": folder]).load()
            }
            expectEqual(error?.message, "The credential \(folder)/\(name) is empty.")
        }
    }

    @Test func `A server of a service manager takes no socket of another process, and a name for operators`() {
        let own = ["LISTEN_PID": String(ProcessInfo.processInfo.processIdentifier), "LISTEN_FDS": "2"]
        let named = own.merging(["LISTEN_FDNAMES": "admin:public"]) { $1 }
        #expect(Supervisor(own.merging(["LISTEN_PID": "1"]) { $1 }).sockets.isEmpty)
        #expect(Supervisor(own.merging(["LISTEN_FDS": "-1"]) { $1 }).sockets.isEmpty)
        expectEqual(Supervisor(named).sockets.map(\.name), ["admin", "public"])
        expectEqual(Supervisor(named).sockets.map(\.descriptor), [3, 4])
        let manager = Supervisor(named)
        expectEqual(Server.Configuration(port: 1).inheriting(from: manager).inheritedSockets, [4])
        expectEqual(Server.Configuration(port: 1).inheriting(from: manager, named: "admin").inheritedSockets, [3])
        #expect(Server.Configuration(port: 1).inheriting(from: Supervisor([:])).inheritedSockets.isEmpty)
    }

    @Test func `A server of a service manager refuses a socket whose clients would not be served`() throws {
        let variables = [
            "LISTEN_PID": String(ProcessInfo.processInfo.processIdentifier), "LISTEN_FDS": "2",
            "LISTEN_FDNAMES": "latch.socket:latch-metrics.socket",
        ]
        let manager = Supervisor(variables)
        try manager.requireUse(of: [4, 3])
        let descriptors = Server.Configuration(port: 1).inheriting(from: manager).inheritedSockets
        let error = #expect(throws: CommandError.self) { try manager.requireUse(of: descriptors) }
        #expect(descriptors == [3] && error?.message.contains("'latch-metrics.socket'") == true)
    }

    @Test func `A server of a service manager serves all sockets of one name`() async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(
                atPath: folder + "/credentials", withIntermediateDirectories: true)
            let process = try ChildProcess.start(
                "/usr/bin/env",
                ["python3", Self.script, "--sockets", "3", folder, BuiltProgram.path, "serve"]
                    + ["--store", "sqlite:\(folder)/latch.sqlite"],
                environment: BuiltProgram.environment(
                    BuiltProgram.unhurried.merging([
                        "LATCH_MAIL_DIRECTORY": folder + "/mails", "LATCH_ACCESS_LOG": "off", "LATCH_EVENT_LOOPS": "2",
                    ]) { $1 }), errors: .file(folder + "/error"))
            let ports = try #require(try await next(process)["ports"]?.arrayValue).compactMap(\.intValue)
            expectEqual(ports.count, 3)
            let ready = try await next(process).stringValue
            expectEqual(ready, "READY=1\nSTATUS=serving http://127.0.0.1:\(ports[0])")
            for port in ports + ports {
                let client = Client(baseURL: try #require(URL(string: "http://127.0.0.1:\(port)")))
                try await expectEqual(client.perform(.raw(.get, "readyz")).status, .ok)
            }
            process.terminate()
            try await expectEqual(next(process).stringValue, "STOPPING=1")
            await expectEqual(process.end(), .exited(0))
        }
    }

    @Test
    func `A server of a service manager does not start without its secrets because their folder is missing`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let loader = SettingsLoader(Invocation(), variables: ["CREDENTIALS_DIRECTORY": "\(folder)/none"])
            let error = #expect(throws: CommandError.self) { try loader.load() }
            expectEqual(error?.message.contains("\(folder)/none"), true)
        }
    }

    @Test func `A server of a service manager refuses a descriptor that does not listen`() async throws {
        var configuration = Server.Configuration(port: 0)
        configuration.inheritedSockets = [1]
        let server = Server(handler: ClosureHandler { _ in HTTPResponse(status: .ok) }, configuration: configuration)
        await #expect(throws: ServerError.self) { try await server.start() }
    }
}

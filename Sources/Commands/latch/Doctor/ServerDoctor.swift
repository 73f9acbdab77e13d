// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchServer

/// One run of all checks of a server.
///
/// A finding never contains a secret: settings that may contain one are only named, and their modules' errors redact
/// them.
struct ServerDoctor: Sendable {
    /// The number of connections and files that a server has open, apart from those of its clients.
    private static let ownDescriptors = 100

    let loader: SettingsLoader
    let variables: [String: String]
    let transport: any Handler

    /// Runs all checks, even after one has failed; without readable settings there is nothing more to check.
    func run() async -> [Diagnosis] {
        let settings: Settings
        do { settings = try loader.load() } catch { return [.wrong("configuration", error)] + environmentWarnings }
        var found = configuration(settings)
        found += await StoreCheck(settings: settings).run()
        found += ServerFileCheck(settings: settings).run()
        found += descriptors(settings)
        found += await ServiceCheck(settings: settings, variables: variables, transport: transport).run()
        return found
    }

    /// Reports contradictions between the settings, and values that are probably unintended.
    private func configuration(_ settings: Settings) -> [Diagnosis] {
        do {
            try settings.check(variables)
            let count = settings.all.count { $0.source != .standard }
            let found = Diagnosis.fine(
                "configuration", "settings that are set: \(count)",
                facts: ["set": .integer(Int64(count))])
            let warnings = settings.warnings(
                listeningOn: settings.configuration.listen, isEncrypted: settings.configuration.tlsCertificate != nil)
            return [found] + ways(settings.configuration.identity) + environmentWarnings
                + warnings.map { .warning("configuration", $0.message, copying: $0.lines, hint: $0.hint) }
        } catch {
            return [.wrong("configuration", error)] + environmentWarnings
        }
    }

    /// Reports the ways to sign in that are turned off, if the operator has chosen some.
    private func ways(_ identity: IdentityConfiguration) -> [Diagnosis] {
        guard let on = identity.signInWays?.words else { return [] }
        let off = SignInWay.allCases.map(\.rawValue).filter { !on.contains($0) }
        let facts: JSONObject = [
            "on": .array(on.map { .string($0) }), "off": .array(off.map { .string($0) }),
        ]
        let text =
            "on: \(on.joined(separator: ", "))" + (off.isEmpty ? "" : "; off: \(off.joined(separator: ", "))")
        guard !identity.permits(.password), !identity.permits(.code) else {
            return [.fine("sign-in ways", text, facts: facts)]
        }
        return [
            .warning(
                "sign-in ways", "\(text). A user without one of them cannot sign in, and gets no email that helps.",
                hint: "Add code to sign_in_ways, or see that each account has one of them.", facts: facts)
        ]
    }

    private var environmentWarnings: [Diagnosis] {
        loader.environmentWarnings.map { .warning("configuration", $0.message, hint: $0.hint) }
    }

    /// Compares the maximum number of connections in the settings with the system's limit on open files.
    private func descriptors(_ settings: Settings) -> [Diagnosis] {
        guard let most = Server.mostDescriptors else { return [] }
        let connections = settings.configuration.server.maximumConnections
        let facts: JSONObject = ["limit": .integer(Int64(most)), "maximumConnections": .integer(Int64(connections))]
        guard most < connections + Self.ownDescriptors else {
            return [.fine("descriptors", "enough for \(connections) connections", facts: facts)]
        }
        return [
            .warning(
                "descriptors", "maximum_connections is \(connections), and a process may have \(most) files open.",
                hint: "Raise the limit (LimitNOFILE= of the unit, 'ulimit -Hn'), or lower maximum_connections.",
                facts: facts)
        ]
    }
}

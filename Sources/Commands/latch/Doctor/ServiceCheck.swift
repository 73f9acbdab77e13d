// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity

/// A check of the services that a server needs: mail server, identity providers, public URL, collector.
struct ServiceCheck: Sendable {
    private static let timeout = Duration.seconds(10)

    let settings: Settings
    let variables: [String: String]
    let transport: any Handler

    /// Connects to each service.
    func run() async -> [Diagnosis] {
        async let mail = mail()
        async let providers = providers()
        async let issuer = issuer()
        async let telemetry = telemetry()
        return await mail + providers + [issuer] + telemetry
    }

    /// Connects to the mail server, signs in and names the sender.
    ///
    /// An email folder is checked instead. A missing mailer is a warning of another check.
    private func mail() async -> [Diagnosis] {
        if let folder = settings.configuration.identity.mailDirectory {
            let exists = FileManager.default.fileExists(atPath: folder)
            guard !exists || FileManager.default.isWritableFile(atPath: folder) else {
                return [
                    .wrong(
                        "mail", "This user cannot write emails into '\(folder)'.",
                        hint: "Give the folder to the server's user.")
                ]
            }
            return [
                .warning(
                    "mail", "Emails are written to '\(folder)' and are not sent.",
                    hint: "That is for development. Set smtp_url in its place.")
            ]
        }
        do {
            let mailer = try settings.configuration.identity.mailer(
                trusting: IssuerTransport.authorityFile(variables))
            guard let mailer = mailer as? any CheckableMailer else { return [] }
            try await mailer.checkConnection()
            return [.fine("mail", "the mail server takes the connection, the user and the sender")]
        } catch {
            return [.wrong("mail", error)]
        }
    }

    /// Requests the data from each identity provider that a sign-in needs.
    private func providers() async -> [Diagnosis] {
        let checks: [UpstreamCheck]
        do { checks = try await settings.configuration.identity.checkUpstreams(by: transport) } catch {
            return [.wrong("providers", error)]
        }
        return checks.map { check in
            guard let part = check.part, let error = check.error else {
                return .fine("providers", "'\(check.provider)' has metadata and keys, and knows this client")
            }
            let cause = CommandError(describing: error)
            let facts: JSONObject = [
                "provider": .string(check.provider), "part": .string(part), "code": .string(cause.code),
            ]
            return .wrong("providers", "'\(check.provider)', \(part): \(cause.message)", hint: cause.hint, facts: facts)
        }
    }

    /// Reads the metadata at the public URL, as clients do (OpenID Connect Discovery §4.3); it must name the same
    /// issuer.
    private func issuer() async -> Diagnosis {
        guard let text = settings.configuration.identity.issuer else {
            return .fine("issuer", "not set: it is the address on which the server listens")
        }
        do {
            let issuer = try IssuerURL(text)
            let client = Client(baseURL: issuer.url, transport: transport, timeout: Self.timeout)
            let response = try await client.respond(to: client.request(.get, ".well-known/openid-configuration"))
            let facts: JSONObject = ["issuer": .string(text), "status": .integer(Int64(response.status.rawValue))]
            guard response.status == .ok else {
                return .wrong(
                    "issuer", "\(issuer.text) has no metadata (\(response.status)).",
                    hint: "Start the server, and check that the proxy passes all paths on to it.", facts: facts)
            }
            let named = try JSONValue(parsing: response.body.bytesWithoutMark)["issuer"]?.stringValue ?? ""
            guard named == issuer.text else {
                return .wrong(
                    "issuer", "The server at \(issuer.text) says that it is '\(named)'.",
                    hint:
                        "Set 'issuer' to the URL that clients use, and restart the server: clients refuse another one.",
                    facts: facts)
            }
            return .fine("issuer", "\(issuer.text) is this issuer", facts: facts)
        } catch {
            return .wrong("issuer", error)
        }
    }

    /// Sends empty exports to the collector; a server also runs without a collector.
    private func telemetry() async -> [Diagnosis] {
        let configuration: TelemetryConfiguration?
        // The configuration check reports an invalid variable.
        do { configuration = try settings.telemetryConfiguration(variables) } catch { return [] }
        return await (configuration?.check(by: transport) ?? []).map { check in
            let hint =
                "The server runs without it, and drops what it would have sent. Check otlp_endpoint and otlp_headers."
            switch check.result {
            case .success(let status) where status.isSuccess:
                return .fine("telemetry", "\(check.origin) takes \(check.signal)")
            case .success(let status):
                return .warning("telemetry", "\(check.origin) does not take \(check.signal) (\(status)).", hint: hint)
            case .failure(let error):
                return .warning("telemetry", CommandError(describing: error).message, hint: hint)
            }
        }
    }
}

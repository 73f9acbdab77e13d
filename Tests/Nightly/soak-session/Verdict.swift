// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The result of a soak: its figures, and the rules that were broken.
struct Verdict {
    var text = ""
    private(set) var broken: [String] = []

    /// The time by which a wait may exceed its limit on a busy machine.
    static let margin = Duration.seconds(2)

    var holds: Bool { broken.isEmpty }

    /// Checks a rule.
    mutating func expect(_ holds: Bool, _ rule: @autoclosure () -> String) {
        if !holds { broken.append(rule()) }
    }

    /// Checks that no request has failed.
    mutating func expectServed(_ report: RoundReport, _ moment: String) {
        expect(
            report.failed == 0 && report.served > 0,
            "\(moment): \(report.served) served, failed: \(report.summary) \(report.messages)")
    }

    /// Checks that requests failed with no other codes, and in time.
    mutating func expectFailures(_ report: RoundReport, _ codes: Set<String>, within limit: Duration, _ moment: String)
    {
        let others = Set(report.failures.keys).subtracting(codes)
        expect(others.isEmpty, "\(moment): \(report.summary) \(report.messages)")
        let limit = Int((limit + Self.margin) / .milliseconds(1))
        expect(report.longest <= limit, "\(moment): a request waited \(report.longest) ms, not \(limit)")
    }

    /// Checks at the end of a soak that the issuer refused nothing and revoked nothing, and that the session goes on.
    mutating func expectKept(_ server: SoakServer) async throws {
        let families = try await server.revokedFamilies()
        expect(server.refreshes.refusals == 0, "the issuer refused \(server.refreshes.refusals) refreshes")
        expect(families == 0, "the issuer revoked \(families.map { "\($0)" } ?? "an unknown number of") families")
        let isSignedIn: Bool
        do { isSignedIn = try await server.isSignedIn() } catch {
            return expect(false, "a new process is not signed in: \(error)")
        }
        expect(isSignedIn, "a new process is signed in as somebody else")
    }
}

func seconds(_ milliseconds: Int) -> String { seconds(Double(milliseconds) / 1_000) }

/// Returns seconds with two places.
func seconds(_ seconds: Double) -> String { String(format: "%.2f s", seconds) }

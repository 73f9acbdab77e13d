// SPDX-License-Identifier: Apache-2.0

import CMeasure
import Foundation
import LatchHTTP

/// What a jar costs: asking 1,000 cookies for those of a request, and taking one that an answer sets.
@main
enum BenchCookies {
    static let rounds = 20_000

    static func main() {
        let jar = CookieJar()
        for host in 0..<100 {
            let request = HTTPRequest(authority: "h\(host).site\(host).example.com", path: "/")
            for number in 0..<10 {
                let cookie = "n\(number)=value; Path=/; Max-Age=3600; Secure; HttpOnly"
                jar.receive(HTTPResponse(status: .ok, fields: [.setCookie: cookie]), to: request)
            }
        }
        let request = HTTPRequest(authority: "h7.site7.example.com", path: "/v1/notes?page=2")
        let stranger = HTTPRequest(authority: "api.other.example.org", path: "/v1/notes")
        let answer = HTTPResponse(
            status: .ok, fields: [.setCookie: "n3=value; Path=/; Max-Age=3600; Secure; HttpOnly; SameSite=Lax"])
        print("\(jar.cookies.count) cookies of 100 hosts")
        var missed = 0
        missed += line("those for a request, ten of them", limit: 10) { _ = jar.cookies(for: request) }
        missed += line("those for a host that has none", limit: 5) { _ = jar.cookies(for: stranger) }
        missed += line("taking one", limit: 10) { jar.receive(answer, to: request) }
        print(missed == 0 ? "all limits hold" : "\(missed) limits missed")
        if missed > 0, CommandLine.arguments.contains("--check") { exit(1) }
    }

    /// Prints the median of five runs in microseconds of processor time beside its limit; 1 where that is missed.
    private static func line(_ what: String, limit: Double, _ body: () -> Void) -> Int {
        var times: [Double] = []
        let blocks = measure_allocations()
        for _ in 0..<5 {
            let began = measure_processor_seconds()
            for _ in 0..<rounds { body() }
            times.append((measure_processor_seconds() - began) * 1e6 / Double(rounds))
        }
        let allocations = Double(measure_allocations() - blocks) / Double(5 * rounds)
        let value = times.sorted()[2]
        let name = what.padding(toLength: 36, withPad: " ", startingAt: 0)
        print(
            String(
                format: "%@ %7.2f µs  limit ≤ %.0f  %@  %5.1f allocations", name, value, limit,
                value <= limit ? "PASS" : "FAIL", allocations))
        return value <= limit ? 0 : 1
    }
}

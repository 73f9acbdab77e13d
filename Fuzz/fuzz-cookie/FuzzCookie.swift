// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchCore
import LatchFoundation
import LatchHTTP

/// The date of all inputs, so that a finding can be repeated.
private let now = Date(timeIntervalSince1970: 1_800_000_000)

private let clock = WallClock(now: { now }, sleep: { _ in })

/// Reads lines as the Set-Cookie fields of one answer: whatever is kept goes where it may and comes back as it was.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCookie(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    var answer = HTTPResponse(status: .ok)
    for line in bytes(data, count).split(separator: 0x0A) {
        let text = String(decoding: line, as: UTF8.self)
        answer.fields.append(text, for: .setCookie)
        if let asked = SetCookie(text) { checkReading(asked) }
    }
    let jar = CookieJar(clock: clock)
    jar.receive(answer, to: HTTPRequest(authority: "a.site.example.com", path: "/p/q"))
    checkRecord(of: jar)
    for authority in [
        "other.com", "example.com.evil.org", "xexample.com", "com", "127.0.0.1", "[::1]", "b.a.site.co.uk",
    ] {
        let kept = jar.cookies(for: HTTPRequest(authority: authority, path: "/p/q"))
        hold(kept.isEmpty, "a cookie of a.site.example.com goes to \(authority)")
    }
    for (scheme, authority) in [
        ("https", "a.site.example.com"), ("http", "a.site.example.com"), ("https", "example.com"),
    ] {
        checkSending(from: jar, to: HTTPRequest(scheme: scheme, authority: authority, path: "/p/q/r"))
    }
    return 0
}

/// What was read is what its own spelling reads as.
private func checkReading(_ asked: SetCookie) {
    guard !asked.name.isEmpty || !asked.value.utf8.contains(0x3D) else { return }
    let again = SetCookie(asked.name.isEmpty ? asked.value : "\(asked.name)=\(asked.value)")
    hold(again?.name == asked.name && again?.value == asked.value, "a pair reads back")
}

/// What is kept survives being written down, and a jar that is filled with it is the same.
private func checkRecord(of jar: CookieJar) {
    let cookies = jar.cookies
    do {
        let copy = try JSONDecoder().decode([Cookie].self, from: JSONEncoder().encode(cookies))
        hold(copy == cookies, "a record reads back")
        hold(CookieJar(copy, clock: clock).cookies == cookies, "a jar is filled as it was")
    } catch {
        hold(false, "a record is written and read")
    }
    for cookie in cookies {
        hold(cookie.expiry.map { $0 > now && $0 <= now + 400 * 86_400 } ?? true, "an expiry lies within 400 days")
    }
}

/// What is sent breaks no message, and nothing secure is sent in the open.
private func checkSending(from jar: CookieJar, to request: HTTPRequest) {
    var request = request
    let cookies = jar.cookies(for: request)
    request.add(cookies, replacing: false)
    do { try request.fields.validate() } catch { hold(false, "a Cookie field is a field") }
    hold(request.scheme == "https" || !cookies.contains(where: \.isSecure), "a secure cookie is sent in the open")
    hold(cookies.allSatisfy { request.origin.host.hasSuffix($0.domain) }, "a cookie is for its domain")
    let before = request.fields[.cookie]
    request.add(cookies, replacing: false)
    hold(request.fields[.cookie] == before, "no cookie is sent twice")
}

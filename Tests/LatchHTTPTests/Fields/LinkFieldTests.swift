// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchTesting
import Testing

@testable import LatchHTTP

@Suite struct LinkFieldTests {
    private let request = HTTPRequest(authority: "api.example.com", path: "/v1/notes?page=1")

    private func links(_ lines: String...) throws -> LinkField { try LinkField(lines) }

    @Test func `A Link field leads to the next page, as GitHub writes it`() throws {
        let field = try links(
            #"<https://api.example.com/v1/notes?page=2>; rel="next", <https://api.example.com/v1/notes?page=5>; rel="last""#
        )
        expectEqual(field.links.map(\.target).count, 2)
        expectEqual(field["next"]?.url(relativeTo: request)?.absoluteString, "https://api.example.com/v1/notes?page=2")
        expectEqual(field["LAST"]?.url(relativeTo: request)?.absoluteString, "https://api.example.com/v1/notes?page=5")
        expectNil(field["prev"])
    }

    @Test(arguments: [
        ("<?page=2>", "https://api.example.com/v1/notes?page=2"), ("<other>", "https://api.example.com/v1/other"),
        ("</root>", "https://api.example.com/root"), ("<../up>", "https://api.example.com/up"),
        ("<//else.example/x>", "https://else.example/x"), ("<http://plain.example/>", "http://plain.example/"),
        ("< /spaced\t>", "https://api.example.com/spaced"), ("<>", "https://api.example.com/v1/notes?page=1"),
        ("</a,b;c=d>", "https://api.example.com/a,b;c=d"),
    ])
    func `A Link field is resolved against the requested address`(reference: String, url: String) throws {
        let link = try #require(try links("\(reference); rel=next")["next"])
        expectEqual(link.url(relativeTo: request)?.absoluteString, url)
    }

    @Test(arguments: ["<mailto:a@b.example>", "<ftp://a/b>", "<https://user:secret@a/b>", "<javascript:alert(1)>"])
    func `A Link field leads nowhere if the target cannot be requested`(reference: String) throws {
        let link = try #require(try links("\(reference); rel=next")["next"])
        expectNil(link.url(relativeTo: request))
    }

    @Test func `A Link field has parameters as tokens, quoted, and without a value`() throws {
        let link = try #require(
            try links(
                #"<x>; rel="next prefetch"; TYPE=text/html;title="a \"b\", c"; ; crossorigin;hreflang=de; hreflang=en"#
            )
            .links.first)
        expectEqual(link.relations, ["next", "prefetch"])
        expectEqual(link["type"], "text/html")
        expectEqual(link["title"], #"a "b", c"#)
        expectEqual(link["CrossOrigin"], "")
        expectEqual(link["hreflang"], "de")
    }

    @Test func `A Link field counts the first relation only`() throws {
        // RFC 8288 §3.3: more than one rel is a mistake, and those after the first are ignored.
        let field = try links(#"<x>; rel="next"; rel="prev""#)
        #expect(field["next"] != nil)
        expectNil(field["prev"])
    }

    // Report 1 in Documentation/PublicReports.md.
    @Test func `A Link field keeps encoded parts of its target, and encodes the rest`() throws {
        let field = try links(#"</p/2?filter[state]=open&cursor=a%3D%3D>; rel="next""#)
        let url = try #require(field["next"]?.url(relativeTo: request))
        #expect(url.absoluteString.hasSuffix("/p/2?filter%5Bstate%5D=open&cursor=a%3D%3D"))
    }

    @Test func `A Link field of another resource leads nowhere`() throws {
        // RFC 8288 §3.2: with an anchor it is about something else than the answer.
        let field = try links(#"<evil>; rel=next; anchor="https://else.example/", <good>; rel=next"#)
        expectEqual(field["next"]?.target, "good")
        expectEqual(field.links.first?.anchor, "https://else.example/")
    }

    @Test func `A Link field can have several lines, with empty elements between`() throws {
        let response = HTTPResponse(
            status: .ok, fields: ["Link": ", <a>; rel=prev ,, <b> ; rel=first,", "link": "<c>;rel=next", "Link": ""])
        try expectEqual(response.links().links.map(\.target), ["a", "b", "c"])
        try expectEqual(response.links()["next"]?.target, "c")
        #expect(try HTTPResponse(status: .ok).links().links.isEmpty)
    }

    @Test(arguments: [
        "x", "<x", "<x> rel=next", "<x>; rel=\"next", "<x>; rel=", "<x> <y>", "<x>; a=b c=d", "<x>; rel=\"a\u{1}\"",
        "<x>;; rel=next> , <y", "next; rel=<x>",
    ])
    func `A Link field that cannot be read is an error and not the end of a list`(line: String) {
        #expect(throws: HTTPError.malformedMessage) { try LinkField([line]) }
        #expect(throws: HTTPError.malformedMessage) { try LinkField(["<a>; rel=next", line]) }
    }

    @Test func `A Link field is bounded`() throws {
        let many = Array(repeating: "<a>", count: 512).joined(separator: ",")
        try expectEqual(links(many).links.count, 512)
        #expect(throws: HTTPError.malformedMessage) { try LinkField([many, "<b>"]) }
        let long = "<" + String(repeating: "a", count: 65_536) + ">"
        #expect(throws: HTTPError.malformedMessage) { try LinkField([long]) }
    }

    @Test(arguments: [UInt64](0..<200))
    func `A Link field reads back as it was written`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let any = Array("ab \t\"\\,=;<>é")
        let expected = (0..<random.below(5)).map { number in
            LinkField.Link(
                target: "/p\(number)",
                parameters: (0..<random.below(4)).map { index in
                    let value = String((0..<random.below(8)).map { _ in random.pick(any) })
                    return LinkField.Link.Parameter(name: "n\(index)", value: value)
                })
        }
        let line = expected.map { link in
            link.parameters.reduce("<\(link.target)>") { text, parameter in
                let quoted = parameter.value.map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
                return text + random.pick([";", "; ", " ;\t"]) + "\(parameter.name)=\"\(quoted)\""
            }
        }.joined(separator: random.pick([",", ", ", " ,, "]))
        try expectEqual(LinkField([line]).links, expected, "\(line)")
    }

    @Test(arguments: [UInt64](0..<200))
    func `A Link field never traps`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        let line = "<" + random.text(upTo: 30) + ">; rel=" + random.text(upTo: 30)
        guard let field = try? LinkField([line]) else { return }
        for link in field.links { _ = (link["title"], link.url(relativeTo: request), link.relations) }
    }
}

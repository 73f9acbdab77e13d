// SPDX-License-Identifier: Apache-2.0

import LatchRPC

/// Uses what the plugin made of shop.proto: nothing of it stands in the sources.
@main
enum Shop {
    static func main() async throws {
        let service = ShopServiceFake()
        service.onGetItems = { request in
            GetItemsResponse(
                items: (1...Int(request.limit)).map { Item(id: "\($0)", title: "Thing \($0)", priceInCents: 995) })
        }
        let answer = try await service.getItems(GetItemsRequest(limit: 2), options: CallOptions())
        for item in answer.items { print(try item.json()) }
    }
}

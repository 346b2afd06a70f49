// A file of its own: the page's policy runs no script that stands in the page.
SwaggerUIBundle({
  url: "/api/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayOperationId: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
});
